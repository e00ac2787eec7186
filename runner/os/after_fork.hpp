// Steps of a forked process before it executes something else, or instead of it. It is a copy of a
// program that may have other threads: system calls and memory laid out before the fork only, no
// allocation, no locks, no exceptions.
#pragma once

#include <sys/types.h>

#include <span>
#include <utility>
#include <vector>

namespace kbench {

// Which descriptors the program gets, and the memory that placing them needs.
class DescriptorPlan {
 public:
  // Pairs of {our descriptor, its number in the child}. Those of 0, 1 and 2 that no pair names will
  // be /dev/null.
  explicit DescriptorPlan(const std::vector<std::pair<int, int>>& descriptors);

  // To be called in the fork: puts each descriptor at its number, and closes all others but
  // `report`, which is moved out of the way and stays close-on-exec. False with errno; `report` can
  // be written to then as well.
  [[nodiscard]] bool place(int& report);

 private:
  const std::vector<std::pair<int, int>>& descriptors_;
  std::vector<int> parked_;
  std::vector<int> kept_;
};

// Closes every descriptor that is not in `kept` (sorted here).
void close_all_but(std::span<int> kept);

// Resets signals: no handler of ours, and nothing blocked. Ignored signals stay so unless
// `ignored_too`.
void reset_signals(bool ignored_too);

// _Fork() with every signal blocked, so that no handler of ours runs in the child before it has
// called reset_signals(); the caller's mask is restored in the parent.
[[nodiscard]] pid_t fork_with_signals_blocked();

}  // namespace kbench
