#include "runner/serve/pace.hpp"

#include <algorithm>

#include "runner/serve/client_limits.hpp"

namespace kbench {
namespace {

constexpr double kNewest = 0.2;  // weight of the newest interval in the mean

}  // namespace

void Pace::begin(Clock::time_point now) {
  if (!since_) since_ = now;
}

void Pace::freed(Clock::time_point now) {
  if (since_) {
    const Time took = now - *since_;
    each_ = known_ ? (1 - kNewest) * each_ + kNewest * took : took;
    known_ = true;
  }
  since_ = now;
}

std::chrono::seconds Pace::refused(Clock::time_point now) {
  // If no place has become free for longer than usual, places become free as slowly as that.
  const Time each = since_ ? std::max<Time>(each_, now - *since_) : each_;
  next_ = std::max(next_, now) + std::chrono::duration_cast<Clock::duration>(each);
  next_ = std::min(next_, now + limits::kMostWait);
  return std::max(std::chrono::seconds(1), std::chrono::ceil<std::chrono::seconds>(next_ - now));
}

}  // namespace kbench
