// The time for which one submission may keep a run waiting: while it loads, prepares and is called,
// over all measurements of it. Each call has a limit of its own; without this, calls that stay just
// below theirs held a run for minutes.
#pragma once

#include <algorithm>
#include <chrono>

namespace kbench {

class WaitBudget {
 public:
  explicit WaitBudget(std::chrono::nanoseconds limit) : limit_(limit) {}

  void spend(std::chrono::nanoseconds waited) { spent_ += waited; }
  [[nodiscard]] bool exhausted() const { return spent_ >= limit_; }
  [[nodiscard]] std::chrono::nanoseconds limit() const { return limit_; }

  // The time to wait: `timeout`, or a little more than what is left where that is less.
  [[nodiscard]] std::chrono::milliseconds at_most(std::chrono::milliseconds timeout) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit_ - spent_);
    return std::clamp(left, std::chrono::milliseconds{1}, timeout);
  }

 private:
  std::chrono::nanoseconds limit_;
  std::chrono::nanoseconds spent_{0};
};

}  // namespace kbench
