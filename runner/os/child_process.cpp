#include "runner/os/child_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runner/core/pointers_to.hpp"
#include "runner/os/after_fork.hpp"
#include "runner/os/environment.hpp"
#include "runner/os/pipe.hpp"

namespace kbench {
namespace {

Error cannot_start(const ChildPlan& plan, int why) {
  return {ErrorCode::kInfrastructure, "cannot start " + plan.argv[0] + ": " + std::strerror(why),
          "`kbench doctor` lists what is missing here"};
}

// All that the forked child uses, laid out before the fork.
struct Prepared {
  char* const* argv;
  char* const* environment;
  DescriptorPlan descriptors;
  const char* working_directory;  // null: ours
  pid_t parent;
  bool ends_with_us;
};

[[noreturn]] void become(Prepared& prepared, int report) {
  ::setpgid(0, 0);
  if (prepared.ends_with_us) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent ended before the line above.
  if (prepared.ends_with_us && ::getppid() != prepared.parent) ::_exit(127);
  reset_signals(/*ignored_too=*/false);
  const bool there =
      prepared.working_directory == nullptr || ::chdir(prepared.working_directory) == 0;
  if (there && prepared.descriptors.place(report))
    ::execve(prepared.argv[0], prepared.argv, prepared.environment);
  const int why = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &why, sizeof why);
  ::_exit(127);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const ChildPlan& plan) {
  auto failure = make_pipe();
  if (!failure) return failure.error();
  const auto argv = pointers_to(plan.argv);
  const std::vector<std::string> environment =
      plan.environment ? *plan.environment : inherited_environment({}, {});
  const auto variables = pointers_to(environment);
  const std::string folder = plan.working_directory.string();
  Prepared prepared{argv.data(),
                    variables.data(),
                    DescriptorPlan(plan.descriptors),
                    folder.empty() ? nullptr : folder.c_str(),
                    ::getpid(),
                    plan.ends_with_us};
  ChildProcess child;
  child.pid_ = fork_with_signals_blocked();
  if (child.pid_ == 0) become(prepared, failure->write.get());
  if (child.pid_ < 0) return cannot_start(plan, errno);
  ::setpgid(child.pid_, child.pid_);  // here as well: either may come first
  failure->write.reset();
  // End-of-file means that execve closed the pipe: the program runs.
  int why = 0;
  ssize_t got = 0;
  do {
    got = ::read(failure->read.get(), &why, sizeof why);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof why)) return cannot_start(plan, why);
  return child;
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  end();
  pid_ = std::exchange(other.pid_, -1);
  return *this;
}

bool ChildProcess::alive() const {
  siginfo_t info{};
  return pid_ > 0 &&
         ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != pid_;
}

bool ChildProcess::wait_until(std::chrono::steady_clock::time_point deadline) const {
  while (alive()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    ::poll(nullptr, 0, 2);
  }
  return true;
}

ChildEnd ChildProcess::end() {
  ChildEnd end;
  if (pid_ < 0) return end;
  // The process is not reaped before the group is killed, so that its number cannot be anyone
  // else's by then.
  end.by_itself = !alive();
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, &end.status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return end;
}

}  // namespace kbench
