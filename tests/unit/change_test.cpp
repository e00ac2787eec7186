#include "runner/analysis/change.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace kbench {
namespace {

// A speed-up with an interval whose halves are `below` and `above` on the log scale.
Speedup ratio(double estimate, double below, double above) {
  return {.estimate = estimate,
          .low = estimate * std::exp(-below),
          .high = estimate * std::exp(above),
          .confidence = 0.95};
}

// log(1.9 / 2) = -0.05129; the half below is hypot(0.03, 0.04) of the later one's lower and the
// earlier one's upper half, the half above hypot(0.12, 0.05).
TEST(Change, IsTheRatioWithBothIntervalsInQuadrature) {
  const LogChange change = change_between(ratio(2, 0.05, 0.04), ratio(1.9, 0.03, 0.12));
  EXPECT_NEAR(change.estimate, std::log(0.95), 1e-12);
  EXPECT_NEAR(change.low, std::log(0.95) - 0.05, 1e-12);
  EXPECT_NEAR(change.high, std::log(0.95) + 0.13, 1e-12);
}

TEST(Change, ItsPValueIsThatOfTheHalfThatPointsToNone) {
  // Slower by 0.1 with a half of 0.05 above it: two halves are 3.92 standard deviations.
  const LogChange slower = change_between(ratio(1, 0.03, 0.3), ratio(std::exp(-0.1), 0.3, 0.04));
  EXPECT_NEAR(slower.p, std::erfc(3.92 / std::sqrt(2.0)), 1e-12);
  const LogChange faster = change_between(ratio(1, 0.3, 0.04), ratio(std::exp(0.05), 0.03, 0.3));
  EXPECT_NEAR(faster.p, 0.05, 1e-5) << "an interval that ends at no change";
}

TEST(Change, ASlowerMachineCancels) {
  // Both sides take twice as long: the speed-ups are the same.
  const LogChange change = change_between(ratio(3, 0.02, 0.02), ratio(3, 0.02, 0.02));
  EXPECT_EQ(change.estimate, 0);
  EXPECT_EQ(change.p, 1);
}

TEST(Change, AnIntervalWithoutEndsSaysNothing) {
  Speedup endless = ratio(5, 0.1, 0.1);
  endless.low = 0;
  endless.high = std::numeric_limits<double>::infinity();
  EXPECT_EQ(change_between(ratio(1, 0.1, 0.1), endless).p, 1);
  EXPECT_EQ(two_sided_p(std::numeric_limits<double>::quiet_NaN()), 1);
}

}  // namespace
}  // namespace kbench
