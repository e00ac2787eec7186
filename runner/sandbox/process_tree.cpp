#include "runner/sandbox/process_tree.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "runner/sandbox/proc_files.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

// The error for a process of which nothing is known; to be made where errno still says why.
Error unknown(const std::string& what) {
  return {ErrorCode::kInfrastructure,
          "cannot tell what runs in the sandbox: " + what + ": " + std::strerror(errno),
          "kbench or the machine is short of something, open files for one (ulimit -n); run again"};
}

// Opens a descriptor of the process; invalid where the kernel has none, or does not let us have
// one.
Look open_pidfd(pid_t pid, UniqueFd& pidfd) {
  pidfd = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (pidfd.valid() || errno == ENOSYS || errno == EPERM) return Look::kSeen;
  return look_of_errno();
}

// "12 345 " in a `children` file; a number may straddle two reads.
class NumberReader {
 public:
  void read(std::string_view text, std::vector<pid_t>& numbers) {
    for (const char c : text) {
      if (c >= '0' && c <= '9') {
        number_ = number_ * 10 + (c - '0');
      } else if (number_ > 0) {
        numbers.push_back(std::exchange(number_, 0));
      }
    }
  }
  void end(std::vector<pid_t>& numbers) {
    if (number_ > 0) numbers.push_back(std::exchange(number_, 0));
  }

 private:
  pid_t number_ = 0;
};

// Reads the children of one thread in a task folder.
Look read_children(int tasks, pid_t thread, std::vector<pid_t>& children) {
  const UniqueFd file(
      ::openat(tasks, ProcPath().add(thread).add("/children").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return look_of_errno();
  NumberReader numbers;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return look_of_errno();
    if (got == 0) break;
    numbers.read({buffer.data(), static_cast<std::size_t>(got)}, children);
  }
  numbers.end(children);
  return Look::kSeen;
}

// Every living process of the machine. Allocates nothing.
Descendants read_process_table(std::span<ProcessEntry> table) {
  Descendants all;
  const UniqueFd proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!proc.valid()) return {.count = 0, .complete = false};
  const Look look = for_each_number(proc.get(), [&](pid_t pid) {
    ProcessStat stat;
    const Look seen = read_stat(proc.get(), pid, stat);
    if (seen == Look::kUnknown) all.complete = false;
    if (seen != Look::kSeen || stat.parent == 0 || stat.process_is_dead()) return;
    if (all.count == table.size()) {
      all.complete = false;
    } else {
      table[all.count++] = {.pid = pid, .parent = stat.parent, .is_still = stat.is_still()};
    }
  });
  if (look != Look::kSeen) all.complete = false;
  return all;
}

}  // namespace

// Pauses before a look. At first it sleeps: on its way to its stop a thread may need the very core
// that looks, and would wait 2 ms for it beside one that yields. Later it yields: where a stranger
// keeps that core busy, the kernel let such a thread wait for seconds beside a sleeper, and 0.1 s
// beside one that yields. (Seen on Linux 6.18, two virtual cores, 250 ticks a second.)
void pause_before(int glance) {
  constexpr int kSleptGlances = 4;
  // By default a sleep of 20 us takes 75, and a submission may go on until its threads stand.
  static thread_local const bool precise = ::prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0) == 0;
  (void)precise;
  if (glance <= kSleptGlances) {
    std::this_thread::sleep_for(std::chrono::microseconds{20});
  } else {
    std::this_thread::yield();
  }
}

Descendants find_descendants(pid_t root, std::span<ProcessEntry> table) {
  const Descendants all = read_process_table(table);
  // Grow the set from the root until nothing is added; the found ones gather at the front.
  std::size_t found = 0;
  const auto is_known = [&](pid_t pid) {
    return pid == root || std::any_of(table.begin(), table.begin() + static_cast<long>(found),
                                      [&](const ProcessEntry& e) { return e.pid == pid; });
  };
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = found; i < all.count; ++i) {
      if (!is_known(table[i].parent)) continue;
      std::swap(table[i], table[found++]);
      grown = true;
    }
  }
  return {.count = found, .complete = all.complete};
}

Status FrozenTree::freeze(std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  if (members_.empty()) {
    if (auto found = discover(); !found) return found.error();
  }
  while (true) {
    for (Member& member : members_) stop(member);
    for (Member& member : members_) {
      if (auto stopped = await_stop(member, deadline); !stopped) return stopped;
    }
    std::erase_if(members_, [](const Member& member) { return member.gone; });
    // A stopped process cannot fork, so once a look at all of them finds no new one, the list is
    // complete.
    auto grown = discover();
    if (!grown) return grown.error();
    if (*grown) continue;
    moved_.reset();
    return Done{};
  }
}

Status FrozenTree::still_stands() {
  for (Member& member : members_) {
    switch (stand_of(member)) {
      case Stand::kStands: continue;
      case Stand::kUnknown: return unknown("process " + std::to_string(member.pid));
      case Stand::kRuns:
        return Error{ErrorCode::kSubmission,
                     "process " + std::to_string(member.pid) + " of the sandbox was continued", ""};
    }
  }
  return Done{};
}

void FrozenTree::move_threads() {
  if (moved_) return;
  std::vector<pid_t> waiting;
  for (const Member& member : members_) {
    // A thread that is not seen is not moved, which costs time and nothing else.
    (void)for_each_number(member.tasks.get(), [&](pid_t thread) {
      ProcessStat stat;
      if (read_stat(member.tasks.get(), thread, stat) == Look::kSeen && stat.state == 'R')
        waiting.push_back(thread);
    });
  }
  moved_ = std::make_unique<MovedThreads>(waiting);
}

void FrozenTree::thaw() {
  for (Member& member : members_) signal(member, SIGCONT);
}

Result<std::vector<pid_t>> FrozenTree::processes() {
  while (true) {
    auto grown = discover();
    if (!grown) return grown.error();
    if (!*grown) break;
  }
  std::vector<pid_t> pids;
  for (const Member& member : members_)
    if (!member.gone) pids.push_back(member.pid);
  return pids;
}

void FrozenTree::forget(pid_t pid) {
  for (Member& member : members_)
    if (member.pid == pid) signal(member, 0);
  std::erase_if(members_, [&](const Member& member) { return member.pid == pid && member.gone; });
}

Status FrozenTree::kill_known(std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  for (Member& member : members_) signal(member, SIGKILL);
  for (Member& member : members_) {
    for (int glance = 1; !member.gone && !is_over(member); ++glance) {
      if (Clock::now() > deadline) {
        return Error{ErrorCode::kTimeout,
                     "process " + std::to_string(member.pid) + " of the sandbox does not die", ""};
      }
      pause_before(glance);
      signal(member, 0);
    }
  }
  return Done{};
}

// True once the process is over: its descriptor is readable once all threads have ended, whether
// somebody has waited for the process or not.
bool FrozenTree::is_over(const Member& member) {
  pollfd end{member.pidfd.get(), POLLIN, 0};
  return member.pidfd.valid() && ::poll(&end, 1, 0) > 0;
}

void FrozenTree::signal(Member& member, int number) {
  const long result = member.pidfd.valid()
                          ? ::syscall(SYS_pidfd_send_signal, member.pidfd.get(), number, nullptr, 0)
                          : ::kill(member.pid, number);
  if (result < 0 && errno == ESRCH) member.gone = true;
}

// A signal to a process waits for the one thread that the kernel chose to take it, while the others
// run on: for milliseconds, if that thread has to wait for a core. Told one by one, those that run
// are interrupted at once, and whichever is first stops them all.
void FrozenTree::stop(Member& member) {
  signal(member, SIGSTOP);
  // A thread that is missed here is stopped by the signal to its process, and awaited.
  (void)for_each_number(member.tasks.get(),
                        [&](pid_t thread) { ::syscall(SYS_tgkill, member.pid, thread, SIGSTOP); });
}

Status FrozenTree::await_stop(Member& member, Deadline deadline) {
  constexpr int kPatientGlances = 100;
  for (int glance = 1;; ++glance) {
    const Stand stand = stand_of(member);
    if (stand == Stand::kStands) return Done{};
    if (stand == Stand::kUnknown) return unknown("process " + std::to_string(member.pid));
    if (Clock::now() > deadline) {
      return Error{ErrorCode::kTimeout,
                   "process " + std::to_string(member.pid) +
                       " of the sandbox did not stop: it hangs in the kernel, or is continued",
                   ""};
    }
    if (glance == kPatientGlances) move_threads();
    pause_before(glance);
  }
}

// The folder may show some threads only, where one ends while it is read: so many as the process
// has must have been seen to stand. (Standing, none of them can end or start another one.)
FrozenTree::Stand FrozenTree::stand_of(Member& member) {
  if (member.gone || is_over(member)) return member.gone = true, Stand::kStands;
  int standing = 0;
  int threads = 0;
  bool runs = false;
  Look worst = Look::kSeen;
  const Look look = for_each_number(member.tasks.get(), [&](pid_t thread) {
    if (runs || worst == Look::kUnknown) return;
    ProcessStat stat;
    const Look seen = read_stat(member.tasks.get(), thread, stat);
    if (seen == Look::kUnknown) worst = seen;
    if (seen != Look::kSeen) return;
    threads = stat.threads;
    runs = !stat.is_still();
    // A thread that has ended goes away by itself, only a leader waits for the others.
    if (!runs && (!stat.thread_is_dead() || thread == member.pid)) ++standing;
  });
  if (look == Look::kGone) return member.gone = true, Stand::kStands;
  if (look == Look::kUnknown || worst == Look::kUnknown) return Stand::kUnknown;
  return !runs && standing > 0 && standing == threads ? Stand::kStands : Stand::kRuns;
}

Status FrozenTree::open_root() {
  if (root_tasks_.valid() || root_gone_) return Done{};
  root_tasks_ = UniqueFd(::open(ProcPath().add("/proc/").add(root_).add("/task").c_str(),
                                O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root_tasks_.valid()) {
    if (look_of_errno() == Look::kUnknown) return unknown("its first process");
    root_gone_ = true;
    return Done{};
  }
  // A kernel without CONFIG_PROC_CHILDREN has no such file for ourselves either.
  const pid_t self = ::getpid();
  const auto path = ProcPath().add("/proc/").add(self).add("/task/").add(self).add("/children");
  scan_all_ = ::access(path.c_str(), F_OK) != 0;
  return Done{};
}

Result<bool> FrozenTree::discover() {
  if (auto opened = open_root(); !opened) return opened.error();
  if (root_gone_) return false;
  if (scan_all_) return discover_by_scan();
  auto grown = discover_children_of(root_tasks_.get());
  for (std::size_t i = 0; grown && i < members_.size(); ++i) {  // members_ may grow on the way
    auto more = discover_children_of(members_[i].tasks.get());
    if (!more) return more;
    grown = *grown || *more;
  }
  return grown;
}

Result<bool> FrozenTree::discover_children_of(int tasks) {
  std::vector<pid_t> children;
  Look worst = Look::kSeen;
  const Look look = for_each_number(tasks, [&](pid_t thread) {
    if (worst != Look::kUnknown && read_children(tasks, thread, children) == Look::kUnknown)
      worst = Look::kUnknown;
  });
  if (look == Look::kUnknown || worst == Look::kUnknown) return unknown("the children of one");
  bool grown = false;
  for (const pid_t child : children) {
    auto added = add(child);
    if (!added) return added;
    grown |= *added;
  }
  return grown;
}

Result<bool> FrozenTree::discover_by_scan() {
  std::vector<ProcessEntry> table(65536);
  const Descendants found = find_descendants(root_, table);
  if (!found.complete) return unknown("the machine's processes");
  bool grown = false;
  for (std::size_t i = 0; i < found.count; ++i) {
    auto added = add(table[i].pid);
    if (!added) return added;
    grown |= *added;
  }
  return grown;
}

Result<bool> FrozenTree::add(pid_t pid) {
  const bool known = std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
    return member.pid == pid && !member.gone;
  });
  if (known) return false;
  const auto failed = [&](Look look) -> Result<bool> {
    if (look == Look::kGone) return false;
    return unknown("process " + std::to_string(pid));
  };
  Member member{.pid = pid};
  if (const Look look = open_pidfd(pid, member.pidfd); look != Look::kSeen) return failed(look);
  member.tasks = UniqueFd(::open(ProcPath().add("/proc/").add(pid).add("/task").c_str(),
                                 O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!member.tasks.valid()) return failed(look_of_errno());
  ProcessStat stat;
  const Look look = read_stat(member.tasks.get(), pid, stat);
  if (look != Look::kSeen) return failed(look);
  if (stat.process_is_dead()) return false;
  members_.push_back(std::move(member));
  return true;
}

}  // namespace kbench
