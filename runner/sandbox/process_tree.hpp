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
  bool is_still = false;  // its leader stands or has ended
};

struct Descendants {
  std::size_t count = 0;
  bool complete = true;  // false: there may be more, because a look failed or the table was full
};

// Moves every living process below `root` (itself not included) to the front of `table`.
[[nodiscard]] Descendants find_descendants(pid_t root, std::span<ProcessEntry> table);

// Waits a little before another look at which threads stand still; `glance` counts the looks, from
// 1.
void pause_before(int glance);

// The processes below one process, as far as they are known. Each is remembered by a pidfd, so a
// number that is used again never hits a stranger, and by its open task folder, so that a second
// freeze costs some microseconds a thread.
class FrozenTree {
 public:
  // `root` itself is never stopped: it is the keeper, or the init of a PID namespace.
  explicit FrozenTree(pid_t root) : root_(root) {}

  // Stops every process below the root and returns once each of their threads stands still.
  // Errors: kTimeout when one did not stop in time (it hangs in the kernel, or is continued without
  // end); kInfrastructure when it cannot be told.
  Status freeze(std::chrono::milliseconds timeout);
  // Checks that each thread of the known processes stands still, as it should after freeze().
  // Errors: kSubmission, naming the process of one that does not; kInfrastructure.
  Status still_stands();
  void thaw();
  // Lets threads that want to run leave the cores that they are bound to, until unmove_threads() or
  // the end of the next freeze(): for threads that do not get their turn. freeze() does so itself
  // if a stop takes long.
  void move_threads();
  void unmove_threads() { moved_.reset(); }
  // The processes known after another look. Frozen ones cannot start new ones. Errors:
  // kInfrastructure.
  [[nodiscard]] Result<std::vector<pid_t>> processes();
  // Forgets a process that is gone: its number may be another one's by now.
  void forget(pid_t pid);
  // Kills the known processes, wherever they have gone, and waits. Errors: kTimeout if one does not
  // die; kInfrastructure if that cannot be told.
  Status kill_known(std::chrono::milliseconds timeout);

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  struct Member {
    pid_t pid = 0;
    UniqueFd pidfd;  // invalid where the kernel has none: then the number is used
    UniqueFd tasks;  // /proc/PID/task
    bool gone = false;
  };
  enum class Stand { kStands, kRuns, kUnknown };

  static bool is_over(const Member& member);
  static void signal(Member& member, int number);
  // Sends SIGSTOP to the process and to each of its threads.
  static void stop(Member& member);
  // Waits until all threads of it stand still.
  Status await_stop(Member& member, Deadline deadline);
  [[nodiscard]] static Stand stand_of(Member& member);
  // Adds children of the root and of all members; returns whether there was a new one.
  Result<bool> discover();
  Result<bool> discover_children_of(int tasks);
  Result<bool> discover_by_scan();
  Result<bool> add(pid_t pid);
  Status open_root();

  pid_t root_;
  UniqueFd root_tasks_;
  bool root_gone_ = false;  // all that was below it, or found before, is gone too
  bool scan_all_ = false;   // the kernel does not list children: look through all of /proc
  std::vector<Member> members_;
  std::unique_ptr<MovedThreads> moved_;
};

}  // namespace kbench
