// kbench-enter: the last step into the sandbox. It is started by bwrap, or by a keeper in
// namespaces of its own, and turns into two processes: this one stays behind as the first process
// of the PID namespace, reaps orphans and reports how the program ended (bwrap itself cannot tell
// an exit code of 139 from a segmentation fault); the other one gives everything up and becomes the
// program. Nothing here trusts the environment, which is empty, or reads a file.
#include "runner/sandbox/enter.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/pointers_to.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/os/pipe.hpp"
#include "runner/sandbox/host.hpp"
#include "runner/sandbox/seccomp_filter.hpp"

namespace kbench {
namespace {

void report(int fd, EnterStep step, int value) {
  const EnterReport report{step, value};
  [[maybe_unused]] const ssize_t written = ::write(fd, &report, sizeof report);
}

bool drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return ::syscall(SYS_capset, &header, none.data()) == 0;
}

// Gives up root for good: the bounding set goes first, then the user, then what is left.
bool become_nobody(int number) {
  const auto user = static_cast<uid_t>(number);
  for (int capability = 0; ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0;) ++capability;
  return ::syscall(SYS_setgroups, 0, nullptr) == 0 && ::setresgid(user, user, user) == 0 &&
         ::setresuid(user, user, user) == 0;
}

// Turns the second process into the program. Returns the step that failed; errno says why.
EnterStep become_program(EnterPlan& plan, const std::vector<sock_filter>& common) {
  if (::getppid() != 1) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const UniqueFd program(::open(plan.argv[0].c_str(), O_PATH | O_CLOEXEC));
  if (plan.drop_to_nobody && !become_nobody(plan.user)) return EnterStep::kUser;
  if (!drop_capabilities()) return EnterStep::kUser;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return EnterStep::kUser;
  if (::chdir(plan.working_directory.c_str()) != 0) return EnterStep::kFolder;
  std::vector<std::string> environment;
  for (const auto& [name, value] : plan.env) environment.push_back(name + "=" + value);
  const auto variables = pointers_to(environment);
  const auto arguments = pointers_to(plan.argv);
  if (plan.only_own_signals) {
    const auto filter = make_filter({.common = false, .only_signal = ::getpid()});
    errno = EINVAL;
    if (!filter || (errno = install_filter(*filter)) != 0) return EnterStep::kFilter;
  }
  if (plan.system_call_filter && (errno = install_filter(common)) != 0) return EnterStep::kFilter;
  ::execve(arguments[0], arguments.data(), variables.data());
  // The user nobody may not pass a closed folder above it, such as root's home; root has opened it.
  if (errno == EACCES)
    ::execveat(program.get(), "", arguments.data(), variables.data(), AT_EMPTY_PATH);
  return EnterStep::kExecute;
}

// Reaps until the program has ended. What is left of its PID namespace dies with this process.
int wait_for(pid_t program) {
  int status = 0;
  while (true) {
    const pid_t reaped = ::waitpid(-1, &status, 0);
    if (reaped == program) return status;
    if (reaped < 0 && errno != EINTR) return SIGKILL;
  }
}

int enter(EnterPlan plan) {
  const int to = plan.report_fd;
  ::fcntl(to, F_SETFD, FD_CLOEXEC);
  // The program may be of the same user; it shall not look into this process or its descriptors.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  std::vector<sock_filter> common;
  if (plan.system_call_filter) {
    auto filter = make_filter({.unix_sockets = plan.unix_sockets});
    if (!filter) return report(to, EnterStep::kFilter, EINVAL), 1;
    common = std::move(*filter);
  }
  if (plan.landlock_abi > 0 && !restrict_files(plan.paths, plan.landlock_abi)) {
    return report(to, EnterStep::kLandlock, errno), 1;
  }
  auto failure = make_pipe();
  const pid_t program = failure ? ::fork() : -1;
  if (program < 0) return report(to, EnterStep::kFork, errno), 1;
  if (program == 0) {
    const EnterStep failed = become_program(plan, common);
    report(failure->write.get(), failed, errno);
    ::_exit(127);
  }
  drop_capabilities();
  failure->write.reset();
  // Only the pipe of the reports stays open here, or others would wait for this process's copies.
  const int probe = failure->read.get();
  for (int fd = 0; fd < 256; ++fd) {
    if (fd != to && fd != probe) ::close(fd);
  }
  EnterReport failed;
  if (::read(probe, &failed, sizeof failed) == static_cast<ssize_t>(sizeof failed)) {
    return report(to, failed.step, failed.value), 1;
  }
  report(to, EnterStep::kStarted, 0);
  report(to, EnterStep::kEnded, wait_for(program));
  return 0;
}

}  // namespace
}  // namespace kbench

int main(int argc, char** argv) {
  auto plan = kbench::parse_enter_arguments({argv + 1, argv + argc});
  if (!plan) return 2;
  return kbench::enter(std::move(*plan));
}
