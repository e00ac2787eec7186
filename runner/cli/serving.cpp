#include "runner/cli/serving.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/store/database_path.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

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
  if (installation.state.empty())
    return Error{ErrorCode::kInfrastructure, "there is no place for the queue",
                 "set HOME or XDG_STATE_HOME, which it lies below"};
  std::error_code failed;
  const fs::path database = fs::weakly_canonical(fs::absolute(options.database), failed);
  if (failed)
    return Error{
        ErrorCode::kUsage,
        fmt::format("{}: {}", clean_name(options.database.string(), 300), failed.message()), ""};
  return installation.state / "serve" / sha256(database.string()).substr(0, 16);
}

}  // namespace

Result<ServingParts> prepare_serving(const ServeOptions& options,
                                     const Installation& installation) {
  if (auto sound = check_database_path(options.database); !sound) return sound.error();
  if (auto there = check_database_folder(options.database); !there) return there.error();
  auto signals = take_signals();
  if (!signals) return signals.error();
  const auto folder = spool_folder(options, installation);
  if (!folder) return folder.error();
  auto judge = make_serve_judge(options, installation);
  if (!judge) return judge.error();
  auto spool = Spool::open(*folder);
  if (!spool) return spool.error();
  return ServingParts{std::move(*signals), std::move(*judge), std::move(*spool)};
}

}  // namespace kbench
