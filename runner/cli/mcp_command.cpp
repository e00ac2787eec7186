#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/serving.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/channel.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/gate/desk.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/options/terminal.hpp"
#include "runner/serve/limits.hpp"
#include "runner/serve/supervisor.hpp"
#include "runner/serve/token.hpp"
#include "runner/serve/tools.hpp"

namespace kbench {
namespace {

constexpr const char* kWho = "local";
constexpr std::chrono::milliseconds kMessagePatience{10'000};

int print_tools(const std::string& how) {
  Json list = Json::array();
  for (const Tool& tool : tools())
    list.push_back(how == "openai" ? openai_function(tool) : mcp_tool(tool));
  fmt::print("{}\n", list.dump(2));
  return finish(ExitCode::kGood, "", -1);
}

// The gate of a process that has none: its client is who started it.
class StandardStreams {
 public:
  StandardStreams(Channel& channel, GateHello hello, int end_fd, int signal_fd)
      : channel_(channel),
        desk_(
            std::move(hello), [this](const Json& message) { lost_ |= !channel_.send(message); },
            [] { return Desk::Clock::now(); }),
        visit_(desk_.local_visit(kWho)),
        end_fd_(end_fd),
        signal_fd_(signal_fd) {}

  // Until the supervisor is gone. It is asked to go by a signal, or once nothing comes any more and
  // every call is answered.
  void run() {
    while (!lost_ && !desk_.told_to_end()) {
      std::array<pollfd, 3> watched{{{at_end_ || asked_to_end_ ? -1 : STDIN_FILENO, POLLIN, 0},
                                     {channel_.fd(), POLLIN, 0},
                                     {asked_to_end_ ? -1 : signal_fd_, POLLIN, 0}}};
      if (::poll(watched.data(), watched.size(), patience_ms()) < 0 && errno != EINTR) break;
      if (watched[1].revents != 0) hear();
      if (watched[0].revents != 0) at_end_ = !read();
      desk_.tick();
      if (watched[2].revents != 0 || (at_end_ && desk_.waiting() == 0)) ask_to_end();
    }
  }

 private:
  // Until somebody's time is over; for ever where nobody waits.
  [[nodiscard]] int patience_ms() const {
    const auto next = desk_.next_deadline();
    if (!next) return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*next - Desk::Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
  }

  void hear() {
    const auto message = channel_.receive(kMessagePatience);
    if (message) {
      desk_.hear(message->body);
    } else {
      lost_ = true;
    }
  }

  void ask_to_end() {
    const std::uint64_t one = 1;
    if (!std::exchange(asked_to_end_, true)) asked_to_end_ = ::write(end_fd_, &one, sizeof one) > 0;
  }

  // False at the end.
  bool read() {
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (got <= 0) return false;
    input_.append(buffer.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = input_.find('\n', begin)) != std::string::npos;
         begin = end + 1)
      take(input_.substr(begin, end - begin));
    input_.erase(0, begin);
    // Nobody's message: whatever more comes of it is none either.
    if (input_.size() > limits::kMostBodyBytes) {
      take(input_);
      input_.clear();
    }
    return true;
  }

  void take(const std::string& line) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) return;
    desk_.hear_mcp(visit_, line, nullptr, peer_,
                   [](const HttpResponse& response) { write_out(response.body); });
  }

  // A line, or nothing. Where nobody reads any more, standard input is at its end, too.
  static void write_out(std::string_view text) {
    while (!text.empty()) {
      const ssize_t wrote = ::write(STDOUT_FILENO, text.data(), text.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(wrote));
    }
  }

  Channel& channel_;
  bool lost_ = false;
  Desk desk_;
  Desk::Visit visit_;
  McpPeer peer_;
  int end_fd_;
  int signal_fd_;
  bool at_end_ = false;  // of its input
  bool asked_to_end_ = false;
  std::string input_;
};

Result<ServeEnd> serve_standard_streams(const ServeOptions& options,
                                        const Installation& installation) {
  DeviceSession device(installation, SessionTurns::kMany);
  auto parts = prepare_serving(options, device);
  if (!parts) return parts.error();
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  const UniqueFd end(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  ServeSettings settings;
  settings.hello = {.version = std::string(build_info().version),
                    .device = parts->judge->device().kind,
                    .device_name = parts->judge->device().name,
                    .tokens = {{kWho, {.read = true, .evaluate = true, .workspace = true}, ""}}};
  settings.open_gate = [&]() -> Result<Gate> {
    if (!ends->first.valid())
      return Error{ErrorCode::kInfrastructure, "nobody reads what is answered any more", ""};
    return Gate{nullptr, Channel(std::move(ends->first))};
  };
  settings.end_fd = end.get();
  settings.note = [&](const std::string& text) {
    if (options.common.verbosity >= 0) fmt::print(stderr, "{}\n", text);
  };
  std::optional<Result<ServeEnd>> ended;
  std::thread supervisor([&] { ended = serve(settings, *parts->judge, parts->spool); });
  {
    Channel channel(std::move(ends->second));
    if (const auto hello = channel.receive(kMessagePatience))
      if (auto known = hello_from_json(hello->body))
        StandardStreams(channel, std::move(*known), end.get(), parts->signals.get()).run();
    // Its end closes here: whatever the supervisor waits for, it learns that nobody is there.
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(end.get(), &one, sizeof one);
  supervisor.join();
  return std::move(*ended);
}

}  // namespace

CLI::App* add_mcp(CLI::App& app, McpOptions& options) {
  auto* mcp = app.add_subcommand("mcp", "Serve the agent tools over MCP (stdio)");
  mcp->footer(help_of("mcp"));
  add_word(*mcp, "--print", options.print, {"mcp", "openai"},
           "Print the tools as that lists them, and end");
  add_judging(*mcp, options.serve);
  return mcp;
}

int call(const McpOptions& options, const Installation& installation) {
  if (!options.print.empty()) return print_tools(options.print);
  // Who reads standard output may be gone before who writes to standard input.
  ::signal(SIGPIPE, SIG_IGN);
  const auto end = serve_standard_streams(options.serve, installation);
  if (!end) return fail(end.error(), inspect_terminal(STDERR_FILENO, options.serve.common.color));
  return finish(ExitCode::kGood, fmt::format("{} judged", end->judged),
                options.serve.common.verbosity);
}

}  // namespace kbench
