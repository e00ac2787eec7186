#include "runner/sandbox/process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "runner/core/json.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A healthy keeper needs some milliseconds. One that waits for a process stuck in a driver is left
// to itself rather than stopping the whole run.
constexpr milliseconds kKillPatience{10'000};
constexpr milliseconds kFreezePatience{5'000};

// Waits until `fd` is readable or at its end of file.
bool poll_until(int fd, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    pollfd poll_fd{fd, POLLIN, 0};
    const int wait_ms = static_cast<int>(std::clamp<long long>(left, 0, 1'000'000'000));
    const int ready = ::poll(&poll_fd, 1, wait_ms);
    if (ready > 0) return true;
    if (ready == 0 && left <= 0) return false;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// Reads what is there; false at the end of file or on an error.
bool read_some(int fd, std::string& text) {
  std::array<char, 1024> buffer;
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

// The value of `key` in the first line of bwrap's status that has it.
std::optional<int> find_status(const std::string& text, const char* key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    const auto found = json.find(key);
    if (found != json.end() && found->is_number_integer()) return found->get<int>();
  }
  return std::nullopt;
}

Error setup_failed() {
  return {ErrorCode::kInfrastructure, "bubblewrap could not set up the sandbox",
          "kbench doctor says which layers work on this machine."};
}

}  // namespace

SandboxedProcess::Exit exit_from_bwrap_code(int code) {
  if (code > 128 && code - 128 < NSIG) return {.exited = false, .signal = code - 128};
  return {.exited = true, .code = code};
}

Result<pid_t> read_bwrap_init(int status_fd, std::string& text, milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (true) {
    if (const auto init = find_status(text, "child-pid")) return static_cast<pid_t>(*init);
    if (!poll_until(status_fd, deadline)) {
      return Error{ErrorCode::kTimeout, "bubblewrap did not start the sandbox in time", ""};
    }
    if (!read_some(status_fd, text)) return setup_failed();
  }
}

KeptProcess::KeptProcess(Launched launched)
    : launched_(std::move(launched)), tree_(launched_.keeper) {}

KeptProcess::KeptProcess(Launched launched, pid_t init, UniqueFd status, std::string status_text)
    : launched_(std::move(launched)),
      through_bwrap_(true),
      bwrap_status_(std::move(status)),
      bwrap_text_(std::move(status_text)),
      tree_(init) {}

KeptProcess::~KeptProcess() { kill(); }

Result<SandboxedProcess::Exit> KeptProcess::wait(milliseconds timeout) {
  if (ended_) return *ended_;
  if (!poll_until(launched_.status.get(), Clock::now() + timeout)) {
    return Error{ErrorCode::kTimeout, "the sandboxed program still runs", ""};
  }
  reap();
  return *ended_;
}

void KeptProcess::kill() {
  if (ended_) return;
  killed_ = true;
  launched_.lifeline.reset();
  if (poll_until(launched_.status.get(), Clock::now() + kKillPatience)) {
    reap();
  } else {
    ended_ = Error{ErrorCode::kInfrastructure,
                   "a process of the sandbox could not be killed: it hangs in the kernel",
                   "Look at the device driver's messages (dmesg); a reset may be needed."};
  }
}

void KeptProcess::reap() {
  KeeperReport report;
  ssize_t got = 0;
  do {
    got = ::read(launched_.status.get(), &report, sizeof report);
  } while (got < 0 && errno == EINTR);
  ::waitpid(launched_.keeper, nullptr, 0);  // it writes last of all
  if (got == static_cast<ssize_t>(sizeof report)) {
    ended_ = translate(report.wait_status);
  } else {
    ended_ = Error{ErrorCode::kInfrastructure,
                   "the keeper of a sandboxed program was killed from outside", ""};
  }
}

Result<SandboxedProcess::Exit> KeptProcess::translate(int wait_status) {
  if (WIFSIGNALED(wait_status)) return Exit{.exited = false, .signal = WTERMSIG(wait_status)};
  const int code = WEXITSTATUS(wait_status);
  if (!through_bwrap_) return Exit{.exited = true, .code = code};
  while (read_some(bwrap_status_.get(), bwrap_text_)) {
  }
  // bwrap reports an exit code only when it came as far as executing the program.
  if (const auto reported = find_status(bwrap_text_, "exit-code")) {
    return exit_from_bwrap_code(*reported);
  }
  if (killed_) return Exit{.exited = false, .signal = SIGKILL};
  return setup_failed();
}

Status KeptProcess::freeze() {
  if (ended_) return Done{};
  return tree_.freeze(kFreezePatience);
}

Status KeptProcess::thaw() {
  tree_.thaw();
  return Done{};
}

}  // namespace kbench
