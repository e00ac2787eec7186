#include "runner/analysis/change.hpp"

#include <cmath>
#include <numbers>

namespace kbench {

double two_sided_p(double deviations) {
  if (std::isnan(deviations)) return 1;
  return std::erfc(std::abs(deviations) / std::numbers::sqrt2);
}

LogChange change_between(const Speedup& before, const Speedup& after) {
  const double a = std::log(before.estimate);
  const double b = std::log(after.estimate);
  const double below = std::hypot(b - std::log(after.low), std::log(before.high) - a);
  const double above = std::hypot(std::log(after.high) - b, a - std::log(before.low));
  LogChange change{b - a, b - a - below, b - a + above, 1};
  const double towards_none = change.estimate > 0 ? below : above;
  // Equal estimates without any spread are no change, not 0/0.
  if (change.estimate != 0) change.p = two_sided_p(change.estimate / (towards_none / kNormal95));
  return change;
}

}  // namespace kbench
