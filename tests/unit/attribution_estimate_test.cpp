// Intervals, differences and shares against values of scipy 1.16, and the rules for when there is
// none.
#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/attribution/comparisons.hpp"
#include "runner/attribution/estimate.hpp"

namespace kbench {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

constexpr double kClose = 1e-9;
const std::vector<double> kOne = {0.1, 0.3, -0.1, 0.25, 0.4, 0.2, 0.15, 0.05};
const std::vector<double> kOther = {0.0, -0.2, 0.1, 0.05, -0.1, 0.3, -0.05};

// scipy.stats.ttest_1samp(one, 0)
TEST(AttributionEstimate, TheIntervalIsStudents) {
  const Estimate found = estimate(kOne);
  EXPECT_EQ(found.basis, Basis::kStudent);
  EXPECT_EQ(found.units, 8u);
  EXPECT_EQ(found.events, 8u);
  ASSERT_TRUE(found.interval);
  EXPECT_NEAR(found.mean, 0.16875, kClose);
  EXPECT_NEAR(found.deviation, 0.15569544446955225, kClose);
  EXPECT_NEAR(found.interval->low, 0.0385853510210174, kClose);
  EXPECT_NEAR(found.interval->high, 0.2989146489789826, kClose);
  EXPECT_NEAR(*found.p, 0.01818011647738714, kClose);
}

// scipy.stats.ttest_ind(one, other, equal_var=False)
TEST(AttributionEstimate, DifferencesOfGroupsAreWelchs) {
  const auto found = welch(kOne, kOther);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mean, 0.15446428571428572, kClose);
  EXPECT_NEAR(found->freedom, 12.63024974570176, kClose);
  EXPECT_NEAR(found->interval.low, -0.022719695752125513, kClose);
  EXPECT_NEAR(found->interval.high, 0.33164826718069695, kClose);
  EXPECT_NEAR(found->p, 0.08207161793260488, kClose);
  EXPECT_FALSE(welch(kOne, {0.1, 0.2, 0.3, 0.4, 0.5})) << "five units are too few";
  EXPECT_FALSE(welch({0, 0, 0, 0, 0, 0, 1}, kOther)) << "one unit that differs is";
}

// The roots of the t statistic of part − r·whole, by scipy.optimize.brentq.
TEST(AttributionEstimate, SharesAreFiellers) {
  const std::vector<double> parts = {0.10, 0.22, 0.05, 0.18, 0.30, 0.12, 0.20, 0.08};
  const auto found = fieller(parts, {0.35, 0.40, 0.28, 0.5, 0.52, 0.31, 0.45, 0.25});
  ASSERT_TRUE(found && found->interval);
  EXPECT_NEAR(found->ratio, 0.4084967320261438, kClose);
  EXPECT_NEAR(found->interval->low, 0.2766221330090515, kClose);
  EXPECT_NEAR(found->interval->high, 0.5078114489328163, kClose);
}

// The gap's own interval is [−0.21, 0.39].
TEST(AttributionEstimate, AShareOfAGapThatMayBeNoneIsNotBounded) {
  const std::vector<double> parts = {0.10, 0.22, 0.05, 0.18, 0.30, 0.12, 0.20, 0.08};
  const auto found = fieller(parts, {0.35, -0.40, 0.28, -0.2, 0.52, -0.31, 0.45, 0.05});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->interval);
  EXPECT_FALSE(fieller({}, {}));
  EXPECT_FALSE(fieller({0.1}, {0.1, 0.2})) << "other units";
}

// scipy.stats.false_discovery_control
TEST(AttributionEstimate, TheFalseDiscoveryRateIsBenjaminiAndHochbergs) {
  EXPECT_THAT(benjamini_hochberg({0.01, 0.04, 0.03, 0.005, 0.5, 0.04}),
              Pointwise(DoubleNear(kClose), {0.03, 0.048, 0.048, 0.03, 0.5, 0.048}));
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

TEST(AttributionEstimate, TooFewUnitsHaveNoInterval) {
  const Estimate found = estimate({0.1, 0.2, 0.3, 0.4, 0.5});
  EXPECT_EQ(found.basis, Basis::kFewUnits);
  EXPECT_FALSE(found.interval || found.p || found.bound);
  EXPECT_NEAR(found.mean, 0.3, kClose);
  EXPECT_EQ(estimate({}).units, 0u);
}

TEST(AttributionEstimate, FewerThanFiveUnitsThatDifferHaveNoInterval) {
  std::vector<double> effects(20, 0);
  std::fill_n(effects.begin(), 4, 0.5);
  EXPECT_EQ(estimate(effects).basis, Basis::kFewEvents);
  EXPECT_FALSE(estimate(effects).interval);
  effects[4] = -0.5;
  EXPECT_EQ(estimate(effects).basis, Basis::kStudent);
}

TEST(AttributionEstimate, NoIntervalHasNoWidth) {
  EXPECT_EQ(estimate(std::vector<double>(8, 0.25)).basis, Basis::kNoSpread);
  // The values differ in the last bit, as sums leave them.
  EXPECT_EQ(estimate({0.3, 0.1 + 0.2, 0.3, 0.3, 0.3, 0.3}).basis, Basis::kNoSpread);
  EXPECT_EQ(estimate(std::vector<double>(8, 0)).basis, Basis::kFewEvents);
}

TEST(AttributionEstimate, WhereNothingHappenedThereIsABound) {
  const Estimate found = estimate(std::vector<double>(20, 0), Nothing{1});
  EXPECT_EQ(found.basis, Basis::kNothingHappened);
  EXPECT_NEAR(*found.bound, 0.16843347098308536, kClose);
  EXPECT_FALSE(found.interval);
  EXPECT_NEAR(*estimate(std::vector<double>(20, 0), Nothing{2}).bound, 2 * 0.16843347098308536,
              kClose);
}

TEST(AttributionEstimate, WhatMoreUnitsWouldSee) {
  EXPECT_EQ(units_to_see(0.3, 0.1), 73u);
  EXPECT_NEAR(seen_effect(0.3, 80), 0.09514396641622072, kClose);
  EXPECT_LE(seen_effect(0.3, 73), 0.1);
  EXPECT_GT(seen_effect(0.3, 72), 0.1);
}

// The table of intervals is for effects that differ by SD 0.08; here 400 draws of 20 units.
TEST(AttributionEstimate, IntervalsCoverWhatTheyShould) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> effect(0.1, 0.3);
  int covered = 0;
  for (int draw = 0; draw < 400; ++draw) {
    std::vector<double> effects(20);
    for (double& one : effects) one = effect(random);
    if (estimate(effects).interval->contains(0.1)) ++covered;
  }
  EXPECT_GE(covered, 360);  // 380 expected, 4.4 standard deviations
  EXPECT_LE(covered, 399);
}

}  // namespace
}  // namespace kbench
