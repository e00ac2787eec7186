#include "runner/core/statistics.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(median({7}), 7);
}

TEST(Statistics, AQuarterLiesBelowTheLowerQuartile) {
  EXPECT_EQ(lower_quartile({3}), 3);
  EXPECT_EQ(lower_quartile({9, 3, 5}), 3);
  EXPECT_EQ(lower_quartile({9, 3, 5, 4}), 4);
  EXPECT_EQ(lower_quartile({6, 5, 4, 3, 2, 1}), 2);
}

TEST(Statistics, MadIgnoresOneOutlier) {
  EXPECT_DOUBLE_EQ(median_absolute_deviation({1, 2, 3, 4, 1000}), 1);
}

// Published values: n = 5 covers 93.75 % with the whole range, n = 6 covers 96.875 %, n = 9 allows
// [x(2), x(8)] at 96.09 %.
TEST(Statistics, MedianIntervalUsesExactBinomialCoverage) {
  const auto five = median_interval({5, 4, 3, 2, 1});
  EXPECT_DOUBLE_EQ(five.low, 1);
  EXPECT_DOUBLE_EQ(five.high, 5);
  EXPECT_NEAR(five.confidence, 0.9375, 1e-12);

  const auto six = median_interval({1, 2, 3, 4, 5, 6});
  EXPECT_DOUBLE_EQ(six.low, 1);
  EXPECT_NEAR(six.confidence, 0.96875, 1e-12);

  const auto nine = median_interval({1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_DOUBLE_EQ(nine.low, 2);
  EXPECT_DOUBLE_EQ(nine.high, 8);
  EXPECT_NEAR(nine.confidence, 0.9609375, 1e-12);
}

TEST(Statistics, MedianIntervalOfOneValueHasNoConfidence) {
  const auto one = median_interval({42});
  EXPECT_DOUBLE_EQ(one.low, 42);
  EXPECT_DOUBLE_EQ(one.high, 42);
  EXPECT_DOUBLE_EQ(one.confidence, 0);
}

TEST(Statistics, VarianceIsThatOfASample) {
  EXPECT_DOUBLE_EQ(variance({1, 2, 3, 4}), 5.0 / 3);
  EXPECT_EQ(variance({7}), 0);
}

// Sorted: 0.01, 0.02, 0.03, 0.2 times 4, 3, 2, 1 is 0.04, 0.06, 0.06, 0.2.
TEST(Statistics, HolmMultipliesByWhatIsStillToJudgeAndNeverFalls) {
  const auto corrected = holm({0.03, 0.01, 0.2, 0.02});
  ASSERT_EQ(corrected.size(), 4u);
  EXPECT_DOUBLE_EQ(corrected[0], 0.06);
  EXPECT_DOUBLE_EQ(corrected[1], 0.04);
  EXPECT_DOUBLE_EQ(corrected[2], 0.2);
  EXPECT_DOUBLE_EQ(corrected[3], 0.06);
  EXPECT_DOUBLE_EQ(holm({0.9, 0.8})[0], 1) << "no probability is more";
  EXPECT_DOUBLE_EQ(holm({0.04})[0], 0.04);
  EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace kbench
