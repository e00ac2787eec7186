#include "baselines/builder_process.hpp"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/core/channel.hpp"
#include "runner/os/environment.hpp"
#include "runner/os/pipe.hpp"

namespace kbench {
namespace {

constexpr std::string_view kWho = "the package builder";
constexpr std::chrono::seconds kStartLimit{180};  // importing torch from a cold disk
constexpr int kPollMs = 200;
constexpr std::size_t kMaxLineBytes = 1u << 20;
constexpr std::size_t kErrorTailBytes = 4096;
constexpr std::size_t kReportedTailBytes = 1500;

// Settings that a user's shell may hold and that would change the code or its numbers behind the
// back of the package key.
constexpr std::array<std::string_view, 5> kDropped{
    "TORCHINDUCTOR_", "AOT_INDUCTOR_", "AOTINDUCTOR_",
    "NVIDIA_TF32_OVERRIDE=", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE="};

std::vector<std::string> builder_environment(const BuilderProcess::Command& command) {
  const std::filesystem::path cache = std::filesystem::absolute(command.cache_directory);
  auto ours = command.environment;
  // Inductor keeps its precompiled headers below the temporary directory, whatever its own setting
  // says; they are worth half a minute, so they stay with the packages.
  ours["TMPDIR"] = (cache / "tmp").string();
  ours["TORCHINDUCTOR_CACHE_DIR"] = (cache / "inductor").string();
  ours["TORCHINDUCTOR_COMPILE_THREADS"] = std::to_string(command.compile_threads);
  return inherited_environment(kDropped, ours);
}

Error not_executed(const Error& error) {
  return {ErrorCode::kInfrastructure, "the package builder could not be executed: " + error.message,
          ""};
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace

Result<std::unique_ptr<Server>> BuilderProcess::start(const Command& command, const Stop& stop) {
  std::error_code ignored;  // a directory that is missing shows in the builder's own message
  std::filesystem::create_directories(command.cache_directory / "tmp", ignored);
  std::filesystem::create_directories(command.cache_directory / "inductor", ignored);

  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  auto errors = make_pipe();
  if (!errors) return errors.error();
  never_block(errors->read.get());
  const int theirs = ends->second.get();
  auto python = TrustedPython::find(command.python);
  if (!python) return not_executed(python.error());
  ChildPlan plan = python->plan({"-u", std::filesystem::absolute(command.script).string()},
                                builder_environment(command));
  plan.descriptors = {
      {theirs, STDIN_FILENO}, {theirs, STDOUT_FILENO}, {errors->write.get(), STDERR_FILENO}};
  plan.ends_with_us = true;
  auto child = ChildProcess::start(plan);
  if (!child) return not_executed(child.error());
  std::unique_ptr<BuilderProcess> process(new BuilderProcess(std::move(*python)));
  process->child_ = std::move(*child);
  process->socket_ = std::move(ends->first);
  process->errors_ = std::move(errors->read);
  ends->second.reset();
  errors->write.reset();
  const auto ready =
      process->receive(kStartLimit, stop, [](const Json& line) { return line.contains("ready"); });
  if (!ready) return ready.error();
  process->torch_ = ready->value("torch", "");
  return std::unique_ptr<Server>(std::move(process));
}

Result<Json> BuilderProcess::ask(const Json& request, std::chrono::milliseconds limit,
                                 const Stop& stop) {
  // A package built against one LibTorch is not promised to load in another.
  const std::string wanted = request.value("torch", "");
  if (!wanted.empty() && wanted != torch_) {
    return Json{{"reason",
                 fmt::format("the builder's Python has torch {}, LibTorch is {}", torch_, wanted)},
                {"mismatch", true}};
  }
  const std::string line = request.dump() + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t wrote =
        ::send(socket_.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return bury(ErrorCode::kInfrastructure, kWho);
    sent += static_cast<std::size_t>(wrote);
  }
  auto reply = receive(limit, stop, [&](const Json& message) {
    return message.contains("id") && message["id"] == request["id"];
  });
  if (!reply) return reply;
  std::error_code ignored;
  if (reply->contains("output") &&
      std::filesystem::exists(request["output"].get<std::string>(), ignored))
    return Json{{"output", request["output"]}};
  if (reply->contains("reason") && (*reply)["reason"].is_string()) {
    const bool transient = reply->contains("transient") && (*reply)["transient"] == true;
    return Json{{"reason", (*reply)["reason"]}, {"transient", transient}};
  }
  return bury(ErrorCode::kBadInput, fmt::format("{} sent a reply that makes no sense ({}) and",
                                                kWho, reply->dump().substr(0, 200)));
}

Result<Json> BuilderProcess::receive(std::chrono::milliseconds limit, const Stop& stop,
                                     const std::function<bool(const Json&)>& wanted) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    while (const auto line = next_line()) {
      Json message = Json::parse(*line, nullptr, /*allow_exceptions=*/false);
      if (message.is_object() && wanted(message)) return message;
    }
    if (closed_) return bury(ErrorCode::kInfrastructure, kWho);
    if (std::chrono::steady_clock::now() >= deadline) {
      return bury(ErrorCode::kTimeout,
                  fmt::format("{} had no answer after {} s and", kWho,
                              std::chrono::duration_cast<std::chrono::seconds>(limit).count()));
    }
    if (stop && stop()) return Error{ErrorCode::kTimeout, "interrupted", ""};
    // A closed errors_ is negative, which poll skips; EINTR is just an early look.
    std::array<pollfd, 2> waiting = {pollfd{socket_.get(), POLLIN, 0},
                                     pollfd{errors_.get(), POLLIN, 0}};
    ::poll(waiting.data(), waiting.size(), kPollMs);
    read_errors();
    read_replies();
  }
}

std::optional<std::string> BuilderProcess::next_line() {
  const auto end = pending_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return line;
}

void BuilderProcess::read_replies() {
  std::array<char, 16384> buffer;
  while (!closed_) {
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) closed_ = true;
    if (got > 0) pending_.append(buffer.data(), static_cast<std::size_t>(got));
    if (pending_.size() > kMaxLineBytes && pending_.find('\n') == std::string::npos) closed_ = true;
  }
}

void BuilderProcess::read_errors() {
  std::array<char, 16384> buffer;
  while (errors_.valid()) {
    const ssize_t got = ::read(errors_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) {
      errors_.reset();
      return;
    }
    error_tail_.append(buffer.data(), static_cast<std::size_t>(got));
    if (error_tail_.size() > kErrorTailBytes)
      error_tail_.erase(0, error_tail_.size() - kErrorTailBytes);
  }
}

Error BuilderProcess::bury(ErrorCode code, std::string_view complaint) {
  // The end of stdout arrives a moment before the end of the process: without this pause a crash
  // would be reported as our own kill.
  constexpr std::chrono::seconds kPatience{1};
  if (closed_) (void)child_.wait_until(std::chrono::steady_clock::now() + kPatience);
  const ChildEnd end = child_.end();
  const std::string ending = end.by_itself ? describe(end.status) : "was stopped";
  read_errors();
  std::string_view tail = error_tail_;
  if (tail.size() > kReportedTailBytes) tail.remove_prefix(tail.size() - kReportedTailBytes);
  while (!tail.empty() && tail.back() == '\n') tail.remove_suffix(1);
  return {
      code,
      fmt::format("{} {}{}{}", complaint, ending, tail.empty() ? "" : "; its last words:\n", tail),
      ""};
}

}  // namespace kbench
