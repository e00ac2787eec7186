#include "runner/cli/serve_command.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/cli/build_info.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/serve_judge.hpp"
#include "runner/cli/terminal.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/serve/gate_process.hpp"
#include "runner/serve/spool.hpp"
#include "runner/serve/supervisor.hpp"
#include "runner/serve/token.hpp"
#include "runner/store/database_path.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Both signals come as something to read from now on, to this process and all of its threads. To be
// called before there are any.
Result<UniqueFd> take_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  const int failed = ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  UniqueFd fd(failed == 0 ? ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK) : -1);
  if (fd.valid()) return fd;
  return Error{ErrorCode::kInfrastructure,
               fmt::format("signals cannot be waited for: {}", std::strerror(errno)), ""};
}

// One for each database, by where that lies.
Result<fs::path> spool_folder(const ServeOptions& options, const Installation& installation) {
  std::error_code failed;
  const fs::path database = fs::weakly_canonical(fs::absolute(options.database), failed);
  if (failed)
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: {}", clean_name(options.database.string(), 300),
                             failed.message()),
                 ""};
  return installation.state / "serve" / sha256(database.string()).substr(0, 16);
}

struct TokenFile {
  fs::path file;
  bool is_new = false;
  std::vector<KnownToken> tokens;
};

// The file that is named, which must be there; or the usual one, which is made.
Result<TokenFile> find_tokens(const ServeOptions& options, const Installation& installation) {
  TokenFile found{options.tokens.value_or(installation.state / "serve/tokens")};
  std::error_code unknown;
  if (!options.tokens && !fs::exists(fs::symlink_status(found.file, unknown))) {
    fs::create_directories(found.file.parent_path(), unknown);
    if (auto made = make_tokens(found.file); !made) return made.error();
    found.is_new = true;
  }
  auto tokens = read_tokens(found.file);
  if (!tokens) return tokens.error();
  found.tokens = std::move(*tokens);
  return found;
}

std::string url_of(const ServeOptions& options, int port) {
  const bool six = options.address.find(':') != std::string::npos;
  return six ? fmt::format("http://[{}]:{}", options.address, port)
             : fmt::format("http://{}:{}", options.address, port);
}

class Serving {
 public:
  Serving(const ServeOptions& options, const Installation& installation)
      : options_(options), installation_(installation) {}

  Result<ServeEnd> run() {
    if (auto sound = check_database_path(options_.database); !sound) return sound.error();
    if (auto there = check_database_folder(options_.database); !there) return there.error();
    auto signals = take_signals();
    if (!signals) return signals.error();
    const auto folder = spool_folder(options_, installation_);
    if (!folder || installation_.state.empty())
      return folder ? no_state() : folder.error();
    auto tokens = find_tokens(options_, installation_);
    if (!tokens) return tokens.error();
    auto judge = make_serve_judge(options_, installation_);
    if (!judge) return judge.error();
    auto spool = Spool::open(*folder);
    if (!spool) return spool.error();
    const auto sandbox = make_sandbox();
    note(fmt::format("tokens: {}{}", clean_name(tokens->file.string(), 300),
                     tokens->is_new ? " (new)" : ""));
    note(fmt::format("judges on {}; rows go into {}; the gate's sandbox: {}",
                     (*judge)->device().name, clean_name(options_.database.string(), 300),
                     sandbox->level(false).to_string()));
    auto settings = settings_for(**judge, std::move(tokens->tokens));
    if (!settings) return settings.error();
    settings->end_fd = signals->get();
    int port = options_.port;
    settings->open_gate = [&]() -> Result<Gate> {
      auto listener = listen_on(options_.address, port);
      if (!listener) return listener.error();
      port = port_of(*listener);
      auto gate = start_gate(*sandbox, installation_.gate, std::move(*listener));
      if (gate && !announced_) announce(port);
      return gate;
    };
    return serve(*settings, **judge, *spool);
  }

 private:
  static Error no_state() {
    return {ErrorCode::kInfrastructure, "there is no place for queue and tokens",
            "set HOME or XDG_STATE_HOME, which they lie below"};
  }

  void note(const std::string& text) const {
    if (options_.common.verbosity >= 0) fmt::print(stderr, "{}\n", text);
  }

  Result<ServeSettings> settings_for(const ServingJudge& judge,
                                     std::vector<KnownToken> tokens) const {
    const auto openapi = read_file(installation_.root / "data/serve/openapi.json");
    if (!openapi)
      return Error{ErrorCode::kInfrastructure, "data/serve/openapi.json is missing",
                   how_to_mend(installation_)};
    ServeSettings settings;
    settings.hello = {.version = std::string(build_info().version),
                      .device = judge.device().kind,
                      .device_name = judge.device().name,
                      .names = options_.names,
                      .tokens = std::move(tokens),
                      .openapi = *openapi};
    settings.note = [this](const std::string& text) { note(text); };
    settings.abandon = [] { ::_exit(to_int(ExitCode::kInterrupted)); };
    return settings;
  }

  // The one line on standard output: what starts a server waits for it.
  void announce(int port) {
    fmt::print("{}\n", url_of(options_, port));
    std::fflush(stdout);
    announced_ = true;
  }

  const ServeOptions& options_;
  const Installation& installation_;
  bool announced_ = false;
};

}  // namespace

int serve_command(const ServeOptions& options, const Installation& installation) {
  const auto end = Serving(options, installation).run();
  if (!end) return fail(end.error(), inspect_terminal(STDERR_FILENO, options.common.color));
  const std::string left =
      end->left == 0 ? "" : fmt::format("; {} wait for the next server", end->left);
  return finish(ExitCode::kGood, fmt::format("{} judged{}", end->judged, left),
                options.common.verbosity);
}

}  // namespace kbench
