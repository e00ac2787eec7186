// Finds and stops the processes below one process. find_descendants() allocates nothing and takes
// no lock, because the keeper (launch.cpp) calls it in a process forked from a program with
// threads. FrozenTree is what freeze() and thaw() of a sandboxed process are made of.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/sandbox/moved_threads.hpp"

namespace kbench {

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';  // as in /proc/PID/stat
  bool below = false;
};

// Moves every living process below `root` (itself not included) to the front of `table` and returns
// their number. Processes beyond the capacity of `table` are not seen.
[[nodiscard]] std::size_t find_descendants(pid_t root, std::span<ProcessEntry> table);

// The processes below one process, as far as they are known. Each is remembered by a pidfd, so a
// number that is used again never hits a stranger, and by its open task folder, so that a second
// freeze costs some microseconds a thread.
class FrozenTree {
 public:
  // `root` itself is never stopped: it is the keeper, or the init of a PID namespace.
  explicit FrozenTree(pid_t root) : root_(root) {}

  // Stops every process below the root and returns once each of their threads stands still.
  // Errors: kTimeout when one did not stop in time (it hangs in the kernel).
  Status freeze(std::chrono::milliseconds timeout);
  void thaw();
  // Moves threads that want to run from the cores that they are bound to to the other ones, until
  // the next freeze() is done: for when they do not get their turn. freeze() does so itself where a
  // stop takes long.
  void move_threads();
  // Those known now, after another look. What is frozen cannot start new ones.
  [[nodiscard]] std::vector<pid_t> processes();

 private:
  struct Member {
    pid_t pid = 0;
    UniqueFd pidfd;  // invalid where the kernel has none: then the number is used
    UniqueFd tasks;  // /proc/PID/task
    bool gone = false;
  };

  void signal(Member& member, int number);
  // SIGSTOP to the process and to each of its threads.
  void stop(Member& member);
  // Waits until all threads of it stand still; false at the deadline.
  bool await_stop(Member& member, std::chrono::steady_clock::time_point deadline);
  [[nodiscard]] bool stopped(Member& member);
  // Adds children of the root and of all members; returns whether there was a new one.
  bool discover();
  bool discover_children_of(int tasks);
  bool discover_by_scan();
  bool add(pid_t pid);

  pid_t root_;
  UniqueFd root_tasks_;
  bool scan_all_ = false;  // the kernel does not list children: look through all of /proc
  std::vector<Member> members_;
  std::unique_ptr<MovedThreads> moved_;
};

}  // namespace kbench
