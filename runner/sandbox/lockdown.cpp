#include "runner/sandbox/lockdown.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "runner/core/defence.hpp"
#include "runner/sandbox/seccomp_filter.hpp"

namespace kbench {
namespace {

Error not_locked(const std::string& what) {
  return {ErrorCode::kInfrastructure, "the worker could not lock itself: " + what,
          "`kbench selftest sandbox` shows which layers work on this machine"};
}

// An execve that cannot succeed: only a filter makes it fail with EPERM.
bool can_execute() { return ::syscall(SYS_execve, "", nullptr, nullptr) != -1 || errno != EPERM; }

bool can_fork() {
  const long child =
      ::syscall(SYS_clone, 0ul /* no signal at its end */, nullptr, nullptr, nullptr, 0ul);
  if (child == 0) ::_exit(0);
  if (child > 0) ::waitpid(static_cast<pid_t>(child), nullptr, __WALL);
  return child > 0;
}

// The signal goes to this process, which is not stopped: without a filter, nothing happens.
bool can_continue() { return ::kill(::getpid(), SIGCONT) == 0; }

bool can_map_code() {
  void* mapped = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped != MAP_FAILED) ::munmap(mapped, 4096);
  return mapped != MAP_FAILED;
}

}  // namespace

Result<bool> allow_no_new_code() {
  if (!kernel_has_filters()) return false;
  const auto filter = make_filter({.common = false, .no_new_code = true});
  if (!filter) return filter.error();
  if (install_filter(*filter) != 0 || can_map_code()) {
    return Error{ErrorCode::kSubmission, "the submission keeps a system call filter out of force",
                 "a submission installs no filters while it is loaded"};
  }
  return true;
}

Result<bool> lock_down() {
  if (!kernel_has_filters()) return false;
  // Under the sandbox the common rules are in force already: each call would pass through them
  // twice.
  constexpr int kNone = 0;
  const bool no_processes = stands(Defence::kNoProcesses);
  const FilterRules rules{
      .common = stands(Defence::kSystemCallFilter) && ::prctl(PR_GET_SECCOMP) == kNone,
      .no_processes = no_processes,
      .only_signal = ::getpid(),
      .only_own_priority = true,
      .no_continuing = stands(Defence::kNoContinuing)};
  const auto filter = make_filter(rules);
  if (!filter) return filter.error();
  if (const int error = install_filter(*filter); error != 0) {
    return not_locked(std::strerror(error));
  }
  if (rules.no_continuing && can_continue()) return not_locked("SIGCONT is still possible");
  if (!no_processes) return true;
  if (can_execute()) return not_locked("execve is still possible");
  if (can_fork()) return not_locked("fork is still possible");
  return true;
}

}  // namespace kbench
