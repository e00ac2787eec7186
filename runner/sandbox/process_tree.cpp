#include "runner/sandbox/process_tree.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

// Before another look at who stands still. Slept at first: on its way to its stop a thread may need
// the very core that looks, and would wait 2 ms for it beside one that yields. Later yielded: where
// a stranger keeps that core busy, the kernel let such a thread wait for seconds beside a sleeper,
// and 0.1 s beside one that yields. (Seen on Linux 6.18, two virtual cores, 250 ticks a second.)
void pause_before(int glance) {
  constexpr int kSleptGlances = 4;
  if (glance <= kSleptGlances) {
    std::this_thread::sleep_for(std::chrono::microseconds{20});
  } else {
    std::this_thread::yield();
  }
}

// What getdents64 writes, as documented in getdents(2).
struct DirectoryEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

// A path below /proc, put together without allocating.
class ProcPath {
 public:
  ProcPath& add(std::string_view text) {
    const std::size_t fits = std::min(text.size(), buffer_.size() - 1 - length_);
    std::memcpy(buffer_.data() + length_, text.data(), fits);
    length_ += fits;
    return *this;
  }
  ProcPath& add(pid_t number) {
    std::array<char, 16> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return add(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
  }
  [[nodiscard]] const char* c_str() const { return buffer_.data(); }

 private:
  std::array<char, 64> buffer_{};
  std::size_t length_ = 0;
};

// Reads a small file in /proc; returns the bytes read, empty where there is none.
std::string_view read_small(int directory, const char* path, std::span<char> buffer) {
  const UniqueFd file(::openat(directory, path, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {};
  const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
  return got > 0 ? std::string_view(buffer.data(), static_cast<std::size_t>(got))
                 : std::string_view{};
}

// Calls `visit(number)` for each entry of an open folder whose name is a number. False when the
// folder could not be read: its process is gone.
template <class Visit>
bool for_each_number(int directory, Visit visit) {
  if (::lseek(directory, 0, SEEK_SET) < 0) return false;
  alignas(DirectoryEntry) std::array<char, 8192> buffer;
  bool any = false;
  while (true) {
    const long got = ::syscall(SYS_getdents64, directory, buffer.data(), buffer.size());
    if (got < 0) return false;
    if (got == 0) return any;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer.data() + at);
      at += entry->length;
      const char* name = buffer.data() + (entry->name - buffer.data());
      pid_t number = 0;
      const char* end = name + std::strlen(name);
      const auto parsed = std::from_chars(name, end, number);
      if (parsed.ec != std::errc{} || parsed.ptr != end) continue;
      any = true;
      visit(number);
    }
  }
}

// State and parent from the text of a stat file: "PID (NAME) STATE PPID ...". The name may contain
// anything, so what counts begins after the last parenthesis.
ProcessEntry parse_stat(pid_t pid, std::string_view text) {
  ProcessEntry entry{.pid = pid};
  const std::size_t close = text.rfind(')');
  if (close == std::string_view::npos || close + 4 >= text.size()) return entry;
  entry.state = text[close + 2];
  std::from_chars(text.data() + close + 4, text.data() + text.size(), entry.parent);
  return entry;
}

bool is_dead(char state) { return state == 'Z' || state == 'X' || state == 'x'; }

// Of one thread in a task folder; 'X' where it ended meanwhile.
char thread_state(int tasks, pid_t thread) {
  std::array<char, 512> buffer;
  const auto text = read_small(tasks, ProcPath().add(thread).add("/stat").c_str(), buffer);
  return text.empty() ? 'X' : parse_stat(thread, text).state;
}

int pidfd_open_or_none(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

}  // namespace

std::size_t find_descendants(pid_t root, std::span<ProcessEntry> table) {
  const UniqueFd proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!proc.valid()) return 0;
  std::size_t count = 0;
  for_each_number(proc.get(), [&](pid_t pid) {
    if (count == table.size()) return;
    std::array<char, 512> buffer;
    const auto text = read_small(proc.get(), ProcPath().add(pid).add("/stat").c_str(), buffer);
    const ProcessEntry entry = parse_stat(pid, text);
    if (entry.parent != 0 && !is_dead(entry.state)) table[count++] = entry;
  });
  // Grow the set from the root until nothing is added; the found ones gather at the front.
  std::size_t found = 0;
  const auto is_known = [&](pid_t pid) {
    return pid == root || std::any_of(table.begin(), table.begin() + static_cast<long>(found),
                                      [&](const ProcessEntry& e) { return e.pid == pid; });
  };
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = found; i < count; ++i) {
      if (!is_known(table[i].parent)) continue;
      std::swap(table[i], table[found++]);
      grown = true;
    }
  }
  return found;
}

Status FrozenTree::freeze(std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  if (members_.empty()) discover();
  while (true) {
    for (Member& member : members_) stop(member);
    for (Member& member : members_) {
      if (!await_stop(member, deadline)) {
        return Error{ErrorCode::kTimeout,
                     "process " + std::to_string(member.pid) +
                         " of the sandbox did not stop: it hangs in the kernel",
                     ""};
      }
    }
    std::erase_if(members_, [](const Member& member) { return member.gone; });
    // What is stopped cannot fork, so once a look at all of them finds nobody new, that is all.
    if (discover()) continue;
    moved_.reset();
    return Done{};
  }
}

void FrozenTree::move_threads() {
  if (moved_) return;
  std::vector<pid_t> waiting;
  for (const Member& member : members_) {
    for_each_number(member.tasks.get(), [&](pid_t thread) {
      if (thread_state(member.tasks.get(), thread) == 'R') waiting.push_back(thread);
    });
  }
  moved_ = std::make_unique<MovedThreads>(waiting);
}

void FrozenTree::thaw() {
  for (Member& member : members_) signal(member, SIGCONT);
}

std::vector<pid_t> FrozenTree::processes() {
  while (discover()) {
  }
  std::vector<pid_t> pids;
  for (const Member& member : members_)
    if (!member.gone) pids.push_back(member.pid);
  return pids;
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
  for_each_number(member.tasks.get(),
                  [&](pid_t thread) { ::syscall(SYS_tgkill, member.pid, thread, SIGSTOP); });
}

bool FrozenTree::await_stop(Member& member, Clock::time_point deadline) {
  constexpr int kPatientGlances = 100;
  for (int glance = 1; !stopped(member); ++glance) {
    if (Clock::now() > deadline) return false;
    if (glance == kPatientGlances) move_threads();
    pause_before(glance);
  }
  return true;
}

bool FrozenTree::stopped(Member& member) {
  if (member.gone) return true;
  bool all = true;
  const bool alive = for_each_number(member.tasks.get(), [&](pid_t thread) {
    if (!all) return;
    const char state = thread_state(member.tasks.get(), thread);
    // 't' is a stop by a tracer, which can only be a stopped process of the same sandbox.
    all = state == 'T' || state == 't' || is_dead(state);
  });
  if (!alive) member.gone = true;
  return all;
}

bool FrozenTree::discover() {
  if (scan_all_) return discover_by_scan();
  if (!root_tasks_.valid()) {
    root_tasks_ = UniqueFd(::open(ProcPath().add("/proc/").add(root_).add("/task").c_str(),
                                  O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::array<char, 1> buffer;
    const UniqueFd probe(::openat(root_tasks_.get(), ProcPath().add(root_).add("/children").c_str(),
                                  O_RDONLY | O_CLOEXEC));
    if (root_tasks_.valid() && (!probe.valid() || ::read(probe.get(), buffer.data(), 0) < 0)) {
      scan_all_ = true;  // built without CONFIG_PROC_CHILDREN
      return discover_by_scan();
    }
  }
  bool grown = discover_children_of(root_tasks_.get());
  for (std::size_t i = 0; i < members_.size(); ++i) {  // members_ may grow on the way
    grown |= discover_children_of(members_[i].tasks.get());
  }
  return grown;
}

bool FrozenTree::discover_children_of(int tasks) {
  std::vector<pid_t> children;
  for_each_number(tasks, [&](pid_t thread) {
    const UniqueFd file(
        ::openat(tasks, ProcPath().add(thread).add("/children").c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 4096> buffer;
    pid_t number = 0;  // carried over where a number straddles two reads
    while (true) {
      const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
      if (got <= 0) break;
      for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(got))) {
        if (c >= '0' && c <= '9') {
          number = number * 10 + (c - '0');
        } else if (number > 0) {
          children.push_back(std::exchange(number, 0));
        }
      }
    }
    if (number > 0) children.push_back(number);
  });
  bool grown = false;
  for (const pid_t child : children) grown |= add(child);
  return grown;
}

bool FrozenTree::discover_by_scan() {
  std::vector<ProcessEntry> table(65536);
  const std::size_t count = find_descendants(root_, table);
  bool grown = false;
  for (std::size_t i = 0; i < count; ++i) grown |= add(table[i].pid);
  return grown;
}

bool FrozenTree::add(pid_t pid) {
  const bool known = std::any_of(members_.begin(), members_.end(),
                                 [&](const Member& member) { return member.pid == pid; });
  if (known) return false;
  Member member{.pid = pid, .pidfd = UniqueFd(pidfd_open_or_none(pid))};
  member.tasks = UniqueFd(::open(ProcPath().add("/proc/").add(pid).add("/task").c_str(),
                                 O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!member.tasks.valid()) return false;  // gone already
  std::array<char, 512> buffer;
  const auto text =
      read_small(AT_FDCWD, ProcPath().add("/proc/").add(pid).add("/stat").c_str(), buffer);
  if (text.empty() || is_dead(parse_stat(pid, text).state)) return false;
  members_.push_back(std::move(member));
  return true;
}

}  // namespace kbench
