#include "runner/synthesis/size_search.hpp"

#include <algorithm>
#include <cmath>

namespace kbench {
namespace {

constexpr int kMostTries = 7;
// Largest step while only one side is known: times are no straight line.
constexpr double kLongestStep = 64;
constexpr double kSmallestScale = 1.0 / 4096;
constexpr double kLargestScale = 4096;

}  // namespace

SizeSearch::Next SizeSearch::took(double ms) {
  ++tries_;
  if (band_.holds(ms)) return Next::kFits;
  if (tries_ >= kMostTries) return Next::kGiveUp;
  (ms < band_.shortest_ms ? too_short_ : too_long_) = scale_;
  double next = 0;
  if (too_short_ && too_long_) {
    next = std::sqrt(*too_short_ * *too_long_);
  } else {
    const double middle = std::sqrt(band_.shortest_ms * band_.longest_ms);
    next = scale_ * std::clamp(middle / std::max(ms, 1e-6), 1 / kLongestStep, kLongestStep);
  }
  next = std::clamp(next, kSmallestScale, kLargestScale);
  if (std::abs(next / scale_ - 1) < 0.02) return Next::kGiveUp;
  scale_ = next;
  return Next::kTryAgain;
}

}  // namespace kbench
