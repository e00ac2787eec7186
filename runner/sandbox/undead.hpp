// Remains of sandboxed programs that are over: those that were killed and did not die in time, and
// processes that somehow stayed behind. A sandbox keeps the list, its processes add themselves; it
// shrinks when the kernel lets go after all. Safe to use from several threads.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <vector>

#include "runner/core/unique_fd.hpp"

namespace kbench {

class UndeadList {
 public:
  // `keeper` is our child, and `status` its pipe, which ends when everything below it is dead.
  void add(pid_t keeper, UniqueFd status);
  // Everything that ran as this user should be dead: counted as long as anything does.
  void add_user(uid_t user);
  // Adds a process that is left and whose end there is no way to see: it is counted for ever.
  void add_lost();
  // The processes that are still there; the others are reaped.
  [[nodiscard]] int count();

 private:
  struct Undead {
    pid_t keeper = -1;
    UniqueFd status;
  };
  std::mutex mutex_;
  std::vector<Undead> list_;
  std::vector<uid_t> users_;
  int lost_ = 0;
};

}  // namespace kbench
