// A few simulated studies of each kind, with fixed draws and bounds that are wide for their number.
// The figures are of the slow attribution_simulation_test.cpp.
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/simulated_study.hpp"

namespace kbench {
namespace {

constexpr int kStudies = 300;  // a share of .95 has a standard error of .013

void expect_covered(const test::Coverage& found) {
  EXPECT_GE(found.share(), 0.90);
  EXPECT_LE(found.share(), 0.99);
  EXPECT_LE(std::abs(found.bias()), 4);
}

TEST(AttributionSmallSimulation, IntervalsCoverTheTruth) {
  expect_covered(test::coverage_of(0b001, 20, {}, kStudies, 1));
  expect_covered(test::coverage_of(0b011, 20, {}, kStudies, 2));
  expect_covered(test::coverage_of(0b111, 20, {}, kStudies, 3));
}

TEST(AttributionSmallSimulation, CopiesAndSharedPlansDoNotNarrowThem) {
  const auto copies = test::coverage_of(
      0b001, 20, {.replicates = 3, .dependence = test::Dependence::kCopies}, kStudies, 4);
  const auto plans = test::coverage_of(
      0b001, 20, {.replicates = 3, .dependence = test::Dependence::kPlans}, kStudies, 5);
  expect_covered(copies);
  expect_covered(plans);
  const auto once = test::coverage_of(0b001, 20, {}, kStudies, 6);
  EXPECT_NEAR(copies.half_width(), once.half_width(), 0.01) << "a copy is no further witness";
}

TEST(AttributionSmallSimulation, DrawnCoalitionsAreCovered) {
  expect_covered(test::drawn_coverage(0b01, 20, kStudies, 12));
  expect_covered(test::drawn_coverage(0b11, 20, kStudies, 13));
}

TEST(AttributionSmallSimulation, TestsKeepTheirLevel) {
  const auto sham = test::arm_coverage(0, 20, 3, kStudies, 7);
  EXPECT_LE(sham.rejections(), 0.10);
  EXPECT_GE(sham.rejections(), 0.01);
  EXPECT_GE(test::arm_coverage(0.25, 80, 3, kStudies, 8).rejections(), 0.95);
}

TEST(AttributionSmallSimulation, SharesOfAGapAreCoveredOrNotBounded) {
  const auto large = test::transfer_coverage(0.2, 0.4, 40, 3, kStudies, 9);
  EXPECT_GE(large.bounded, 0.97 * kStudies);
  EXPECT_GE(large.covered, 0.90 * large.bounded);
  const auto small = test::transfer_coverage(0.1, 0.15, 20, 3, kStudies, 10);
  EXPECT_LE(small.bounded, 0.5 * kStudies);
  EXPECT_EQ(large.wrongly_bounded + small.wrongly_bounded, 0);
}

TEST(AttributionSmallSimulation, AStepsEffectIsNotTheTotal) {
  test::Random random(11);
  double difference = 0;
  constexpr int kChains = 4000;
  for (int chain = 0; chain < kChains; ++chain)
    difference += test::drifting_chain(10, 0.3, 0.15, random).back() -
                  test::drifting_chain(10, 0.3, 0, random).back();
  EXPECT_GE(difference / kChains, 0.24);
  EXPECT_LE(difference / kChains, 0.34);
}

}  // namespace
}  // namespace kbench
