#include "runner/measure/oracle/oracle_child.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace kbench {
namespace {

// LibTorch loads in seconds, in minutes from a slow disk.
constexpr auto kPatience = std::chrono::minutes{5};

bool ends_within(const UniqueFd& process, int milliseconds) {
  pollfd ended{process.get(), POLLIN, 0};
  return ::poll(&ended, 1, milliseconds) > 0;
}

}  // namespace

Status OracleChild::request(OracleForkServer& server, const std::filesystem::path& log) {
  server_ = &server;
  log_ = log;
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  if (auto asked = server.request(std::move(ends->second)); !asked) return asked;
  channel_ = Channel(std::move(ends->first));
  return Done{};
}

Status OracleChild::meet() {
  if (pid_ > 0) return Done{};
  if (server_ == nullptr) return Error{ErrorCode::kInfrastructure, "there is no oracle", ""};
  auto pid = server_->await(kPatience);
  if (!pid) {
    return Error{pid.error().code, "the oracle could not be started: " + pid.error().message,
                 "its log is " + log_.string()};
  }
  pid_ = *pid;
  process_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  return Done{};
}

void OracleChild::end() {
  channel_ = Channel();
  if (server_ != nullptr) {
    // A process that was never met may exist, or come into being: only the server knows.
    if (pid_ > 0 && kill_process()) {
      server_->forget(pid_);
    } else {
      server_->stop();
    }
  }
  pid_ = -1;
  process_ = UniqueFd();
  server_ = nullptr;
}

bool OracleChild::has_ended() const {
  return process_.valid() ? ends_within(process_, 0) : ::kill(pid_, 0) != 0;
}

// Kills the process, which holds nothing that needs saving.
bool OracleChild::kill_process() {
  // There may be no handle: either the process was gone before, and nothing is to be done, or there
  // was none to be had.
  if (!process_.valid()) return ::kill(pid_, 0) != 0 && errno == ESRCH;
  ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0);
  // The process may be frozen with its server. A tree that is stopped by signals is continued only
  // if all of its threads are seen to stand, and a dying one does not: so the process has to be
  // dead first.
  constexpr int kMilliseconds = 10'000;
  if (server_->thaw()) return ends_within(process_, kMilliseconds);
  const bool dead = ends_within(process_, kMilliseconds);
  (void)server_->thaw();
  return dead;
}

}  // namespace kbench
