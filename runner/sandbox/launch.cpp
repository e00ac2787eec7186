#include "runner/sandbox/launch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>

#include "runner/core/pointers_to.hpp"
#include "runner/os/after_fork.hpp"
#include "runner/os/pipe.hpp"
#include "runner/sandbox/process_tree.hpp"

// Everything from the fork on runs in a copy of a program that may have other threads: system calls
// and stack memory only, no allocation, no locks, no exceptions.

namespace kbench {
namespace {

enum class Step : int { kFork, kDescriptors, kLimits, kCgroup, kNamespaces, kFolder, kExecute };

const char* describe(Step step) {
  switch (step) {
    case Step::kFork: return "start a process";
    case Step::kDescriptors: return "pass the descriptors on";
    case Step::kLimits: return "set the resource limits";
    case Step::kCgroup: return "join a control group";
    case Step::kNamespaces: return "set up its namespaces";
    case Step::kFolder: return "enter the working directory";
    case Step::kExecute: return "execute the program";
  }
  return "start";
}

struct Failure {
  Step step;
  int error;
};

// Data of the forked processes, laid out before the fork.
struct Prepared {
  const LaunchPlan* plan = nullptr;
  DescriptorPlan descriptors;
  std::vector<char*> argv;
  std::vector<char*> environment;
  int lifeline = -1;
  int status = -1;
  int failure = -1;
  std::array<char, 48> user_map{};  // "1000 1000 1"
  std::array<char, 48> group_map{};
  std::array<char, 16> memory_handicap{};
  std::span<ProcessEntry> table;
};

[[noreturn]] void fail(int failure_fd, Step step) {
  const Failure failure{step, errno};
  // Nobody is left to tell when this write fails: the supervisor is gone.
  [[maybe_unused]] const ssize_t written = ::write(failure_fd, &failure, sizeof failure);
  ::_exit(127);
}

bool write_file(const char* path, const char* text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const std::size_t size = std::strlen(text);
  const bool written = ::write(file, text, size) == static_cast<ssize_t>(size);
  ::close(file);
  return written;
}

// In a new user namespace everybody is unknown until this says who is who: one's own numbers.
bool map_own_user(const Prepared& prepared) {
  return write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/uid_map", prepared.user_map.data()) &&
         write_file("/proc/self/gid_map", prepared.group_map.data());
}

void settle_in_namespaces(const Prepared& prepared, int failure) {
  const unsigned made = prepared.plan->namespaces;
  if ((made & CLONE_NEWUSER) != 0 && !map_own_user(prepared)) fail(failure, Step::kNamespaces);
  if ((made & CLONE_NEWNS) == 0) return;
  // Mounts made here must not show outside.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    fail(failure, Step::kNamespaces);
  }
  // Containers with masked files in /proc forbid a fresh one. Then the old one stays, and shows
  // processes that cannot be reached.
  if ((made & CLONE_NEWPID) != 0) {
    ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
  }
}

// Short of memory, the kernel shall take a sandboxed program before anything of ours.
void volunteer_for_oom(const Prepared& prepared) {
  (void)write_file("/proc/self/oom_score_adj", prepared.memory_handicap.data());
}

[[noreturn]] void become_program(Prepared& prepared, pid_t keeper) {
  const LaunchPlan& plan = *prepared.plan;
  for (const int group : plan.cgroups) {
    if (::write(group, "0", 1) != 1) fail(prepared.failure, Step::kCgroup);
  }
  int failure = prepared.failure;
  if (!prepared.descriptors.place(failure)) fail(failure, Step::kDescriptors);
  reset_signals(/*ignored_too=*/true);
  volunteer_for_oom(prepared);
  ::setsid();
  ::umask(022);
  settle_in_namespaces(prepared, failure);
  for (const auto& [resource, value] : plan.resource_limits) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
    limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(limit.rlim_max, value);
    if (::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) {
      fail(failure, Step::kLimits);
    }
  }
  // The program dies as well if the keeper itself is killed.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool parent_visible = (plan.namespaces & CLONE_NEWPID) == 0;
  if (parent_visible && ::getppid() != keeper) ::_exit(127);
  if (::chdir(plan.working_directory.c_str()) != 0) fail(failure, Step::kFolder);
  ::execve(prepared.argv[0], prepared.argv.data(), prepared.environment.data());
  fail(failure, Step::kExecute);
}

void do_nothing(int) {}

// Waits until a child ends, or for a moment.
void wait_for_a_child(long milliseconds) {
  sigset_t all_but_child;
  ::sigfillset(&all_but_child);
  ::sigdelset(&all_but_child, SIGCHLD);
  const timespec moment{0, milliseconds * 1'000'000};
  ::ppoll(nullptr, 0, &moment, &all_but_child);
}

// Stops what is below the keeper, as far as it can be seen, until no new process turns up: what
// stands cannot fork away.
Descendants stop_everything(Prepared& prepared) {
  constexpr int kMostPasses = 1000;
  Descendants seen;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const Descendants now = find_descendants(::getpid(), prepared.table);
    bool all_stopped = true;
    for (const ProcessEntry& entry : prepared.table.first(now.count)) {
      if (!entry.is_still) all_stopped = false;
      ::kill(entry.pid, SIGSTOP);
    }
    const bool settled = all_stopped || now.count == seen.count;
    seen = now;
    if (settled) break;
  }
  return seen;
}

// Stops, kills and reaps until no process is left below the keeper. Notes how `program` ended. It
// is over only when the kernel says that there is no child left (the keeper is their subreaper):
// not when no process is seen in /proc.
void end_everything(Prepared& prepared, pid_t program, int& wait_status) {
  const LaunchPlan& plan = *prepared.plan;
  constexpr long kLongestPauseMs = 200;  // a process may hang in a driver for long
  for (long pause_ms = 5;; pause_ms = std::min(2 * pause_ms, kLongestPauseMs)) {
    const Descendants seen = stop_everything(prepared);
    for (const ProcessEntry& entry : prepared.table.first(seen.count)) ::kill(entry.pid, SIGKILL);
    if (plan.freezer >= 0) {
      [[maybe_unused]] const ssize_t written =
          ::write(plan.freezer, plan.thaw_word.data(), plan.thaw_word.size());
    }
    int status = 0;
    pid_t reaped = 0;
    bool any = false;
    while ((reaped = ::waitpid(-1, &status, WNOHANG)) > 0) {
      any = true;
      if (reaped == program) wait_status = status;
    }
    if (reaped < 0 && errno == ECHILD) return;
    if (!any) wait_for_a_child(pause_ms);
  }
}

// Waits for the program's end or the lifeline's. True when the program ended by itself.
bool program_ended(const Prepared& prepared, pid_t program, int& wait_status) {
  sigset_t all_but_child;
  ::sigfillset(&all_but_child);
  ::sigdelset(&all_but_child, SIGCHLD);
  while (true) {
    int status = 0;
    for (pid_t reaped = 0; (reaped = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (reaped != program) continue;  // an orphan
      wait_status = status;
      return true;
    }
    pollfd lifeline{prepared.lifeline, POLLIN, 0};
    if (::ppoll(&lifeline, 1, nullptr, &all_but_child) > 0) return false;
  }
}

// Precondition: every signal is blocked, so that no handler of the supervisor runs here.
[[noreturn]] void keep(Prepared& prepared) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  ::prctl(PR_SET_NAME, "kbench-keeper");
  ::signal(SIGCHLD, do_nothing);
  const pid_t self = ::getpid();
  // The raw call, because the C library's fork makes no namespaces.
  const unsigned long flags = prepared.plan->namespaces | static_cast<unsigned long>(SIGCHLD);
  const pid_t program =
      prepared.plan->namespaces == 0
          ? ::_Fork()
          : static_cast<pid_t>(::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, 0ul));
  if (program < 0) {
    fail(prepared.failure, prepared.plan->namespaces == 0 ? Step::kFork : Step::kNamespaces);
  }
  if (program == 0) become_program(prepared, self);
  const KeeperReport started{program};
  [[maybe_unused]] ssize_t written = ::write(prepared.status, &started, sizeof started);
  std::array<int, 3> kept = {prepared.lifeline, prepared.status, prepared.plan->freezer};
  close_all_but(std::span(kept).first(prepared.plan->freezer < 0 ? 2 : 3));
  ::prctl(PR_SET_DUMPABLE, 0);
  int wait_status = 0;
  program_ended(prepared, program, wait_status);
  end_everything(prepared, program, wait_status);
  const KeeperReport report{wait_status};
  written = ::write(prepared.status, &report, sizeof report);
  ::_exit(0);
}

Error launch_error(const LaunchPlan& plan, const Failure& failure) {
  return {ErrorCode::kInfrastructure,
          std::string("cannot ") + describe(failure.step) + " for the sandboxed " + plan.argv[0] +
              ": " + std::strerror(failure.error),
          ""};
}

// Memory for the keeper's view of the process table; pages never touched cost nothing.
class TableMemory {
 public:
  TableMemory() {
    void* memory =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) memory_ = memory;
  }
  ~TableMemory() {
    if (memory_ != nullptr) ::munmap(memory_, kBytes);
  }
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;
  [[nodiscard]] std::span<ProcessEntry> entries() const {
    if (memory_ == nullptr) return {};
    return {static_cast<ProcessEntry*>(memory_), kBytes / sizeof(ProcessEntry)};
  }

 private:
  static constexpr std::size_t kBytes = 65536 * sizeof(ProcessEntry);
  void* memory_ = nullptr;
};

}  // namespace

Result<Launched> launch(const LaunchPlan& plan) {
  auto lifeline = make_pipe();
  if (!lifeline) return lifeline.error();
  auto status = make_pipe();
  if (!status) return status.error();
  auto failure = make_pipe();
  if (!failure) return failure.error();

  const TableMemory table;
  if (table.entries().empty()) {
    return Error{ErrorCode::kInfrastructure, "no memory left to start a sandboxed program", ""};
  }
  Prepared prepared{.plan = &plan,
                    .descriptors = DescriptorPlan(plan.descriptors),
                    .argv = pointers_to(plan.argv),
                    .environment = pointers_to(plan.environment),
                    .lifeline = lifeline->read.get(),
                    .status = status->write.get(),
                    .failure = failure->write.get(),
                    .table = table.entries()};
  std::snprintf(prepared.user_map.data(), prepared.user_map.size(), "%u %u 1", ::getuid(),
                ::getuid());
  std::snprintf(prepared.group_map.data(), prepared.group_map.size(), "%u %u 1", ::getgid(),
                ::getgid());
  std::snprintf(prepared.memory_handicap.data(), prepared.memory_handicap.size(), "%d",
                plan.memory_handicap);
  const pid_t keeper = fork_with_signals_blocked();
  if (keeper == 0) keep(prepared);
  if (keeper < 0) return launch_error(plan, {Step::kFork, errno});
  lifeline->read.reset();
  status->write.reset();
  failure->write.reset();

  // End-of-file means that execve closed the pipe: the program runs.
  Failure reported{};
  ssize_t got = 0;
  do {
    got = ::read(failure->read.get(), &reported, sizeof reported);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof reported)) {
    lifeline->write.reset();
    ::waitpid(keeper, nullptr, 0);
    return launch_error(plan, reported);
  }
  KeeperReport started;
  if (::read(status->read.get(), &started, sizeof started) != sizeof started) {
    lifeline->write.reset();
    ::waitpid(keeper, nullptr, 0);
    return launch_error(plan, {Step::kFork, ECHILD});
  }
  return Launched{keeper, started.value, std::move(lifeline->write), std::move(status->read)};
}

}  // namespace kbench
