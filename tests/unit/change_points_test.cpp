#include "runner/analysis/change_points.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace kbench {
namespace {

// Standard normal values, the same in each build: the standard's own distributions are not.
class Noise {
 public:
  explicit Noise(unsigned seed) : bits_(seed) {}
  double next() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(bits_()) / 4294967296.0;
    return sum - 6;
  }

 private:
  std::mt19937 bits_;
};

constexpr double kDeviation = 0.02;  // deviation of a run

Speedup at_level(double level, Noise& noise) {
  const double estimate = level * std::exp(kDeviation * noise.next());
  return {.estimate = estimate,
          .low = estimate * std::exp(-kNormal95 * kDeviation),
          .high = estimate * std::exp(kNormal95 * kDeviation)};
}

std::vector<Speedup> equal_runs(std::size_t runs, unsigned seed) {
  Noise noise(seed);
  std::vector<Speedup> series;
  for (std::size_t run = 0; run < runs; ++run) series.push_back(at_level(1.5, noise));
  return series;
}

TEST(ChangePoints, NoneInAHistoryOfEqualRuns) {
  for (const std::size_t runs : {0u, 1u, 2u, 5u, 40u, 400u})
    EXPECT_TRUE(find_change_points(equal_runs(runs, 1)).empty()) << runs;
}

TEST(ChangePoints, InNoMoreThanOneOfTwentyHistoriesOfEqualRuns) {
  int with_any = 0;
  for (unsigned seed = 0; seed < 400; ++seed)
    if (!find_change_points(equal_runs(30, seed)).empty()) ++with_any;
  EXPECT_LE(with_any, 20);
}

TEST(ChangePoints, AreAtTheFirstRunOfTheNewLevel) {
  for (const std::size_t first : {1u, 7u, 19u}) {
    Noise noise(5);  // one of the nineteen of twenty in which nothing else seems to change
    std::vector<Speedup> series;
    for (std::size_t run = 0; run < 20; ++run)
      series.push_back(at_level(run < first ? 2.0 : 1.7, noise));
    const auto found = find_change_points(series);
    ASSERT_EQ(found.size(), 1u) << first;
    EXPECT_EQ(found[0].first, first);
    EXPECT_NEAR(found[0].before, 2.0, 0.15);
    EXPECT_NEAR(found[0].after, 1.7, 0.15);
    EXPECT_LE(found[0].p, 0.05);
  }
}

TEST(ChangePoints, SeveralAreFoundInOrderAndLevelsReachFromOneToTheNext) {
  Noise noise(3);
  std::vector<Speedup> series;
  for (std::size_t run = 0; run < 30; ++run)
    series.push_back(at_level(run < 10 ? 2.0 : run < 18 ? 1.5 : 2.5, noise));
  const auto found = find_change_points(series);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].first, 10u);
  EXPECT_EQ(found[1].first, 18u);
  EXPECT_NEAR(found[0].after, found[1].before, 1e-9);
  EXPECT_NEAR(found[1].after, 2.5, 0.05);
}

// Three equal runs, then one lower by 0.1 in the logarithm. With a deviation of s the two means are
// 0.1 / (s sqrt(1/3 + 1)) standard errors apart, and there are three places.
TEST(ChangePoints, TheCorrectionIsForTheNumberOfPlaces) {
  const auto series = [](double deviation) {
    std::vector<Speedup> four;
    for (const double value : {0.0, 0.0, 0.0, -0.1})
      four.push_back({.estimate = std::exp(value),
                      .low = std::exp(value - kNormal95 * deviation),
                      .high = std::exp(value + kNormal95 * deviation)});
    return four;
  };
  const double apart = 0.1 / (0.03 * std::sqrt(4.0 / 3));
  const auto found = find_change_points(series(0.03));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].p, 3 * std::erfc(apart / std::sqrt(2.0)), 1e-9);
  // 2.165 standard errors would do for one place (p = 0.03), and do not for three.
  EXPECT_TRUE(find_change_points(series(0.04)).empty());
}

TEST(ChangePoints, ARunThatSaysLittleDatesNothing) {
  std::vector<Speedup> series = equal_runs(10, 1);
  series.push_back({.estimate = 1.0, .low = 0.4, .high = 2.5});
  EXPECT_TRUE(find_change_points(series).empty());
  series.push_back({.estimate = 1.0, .low = 0, .high = std::numeric_limits<double>::infinity()});
  EXPECT_TRUE(find_change_points(series).empty());
}

}  // namespace
}  // namespace kbench
