#include "runner/analysis/stop_rule.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

// Blocks of eager and submission. Ratios lie around `ratio`, by `spread` of it.
std::vector<Sample> blocks(int count, std::int64_t time_ns, double spread = 0, double ratio = 1) {
  std::vector<Sample> samples;
  for (int block = 0; block < count; ++block) {
    const double factor = ratio * (1 + (block % 2 == 0 ? spread : -spread));
    for (int visit = 0; visit < 2; ++visit) {
      samples.push_back(
          {.placement = block,
           .block = block,
           .visit = visit,
           .side = Side::kEager,
           .time_ns = static_cast<std::int64_t>(static_cast<double>(time_ns) * factor)});
      samples.push_back({.placement = block,
                         .block = block,
                         .visit = visit,
                         .side = Side::kSubmission,
                         .time_ns = time_ns});
    }
  }
  return samples;
}

TEST(StopRule, GoesOnUntilTenBlocks) {
  const StopRule rule = stop_rule_for("cuda");
  EXPECT_FALSE(has_enough(rule, blocks(9, 1'000'000'000), Side::kSubmission, 1));
  EXPECT_TRUE(has_enough(rule, blocks(10, 1'000'000'000), Side::kSubmission, 1));
}

TEST(StopRule, ShortCallsNeedHalfASecondOrFiftyBlocks) {
  const StopRule rule = stop_rule_for("cuda");
  EXPECT_FALSE(has_enough(rule, blocks(35, 1'000'000), Side::kSubmission, 1));
  EXPECT_FALSE(has_enough(rule, blocks(49, 1'000'000), Side::kSubmission, 1));
  EXPECT_TRUE(has_enough(rule, blocks(50, 1'000'000), Side::kSubmission, 1));
}

TEST(StopRule, ADroppedBlockMakesNoLookBeMissed) {
  const StopRule rule = stop_rule_for("cuda");
  auto samples = blocks(50, 1'000'000);
  for (Sample& sample : samples) sample.dropped = sample.block == 20;
  EXPECT_TRUE(has_enough(rule, samples, Side::kSubmission, 1));
}

TEST(StopRule, AWideIntervalGoesOnUntilTheDeadline) {
  const StopRule rule = stop_rule_for("cuda");
  const auto wide = blocks(60, 1'000'000'000, 0.1);
  EXPECT_FALSE(has_enough(rule, wide, Side::kSubmission, rule.longest_seconds - 1));
  EXPECT_TRUE(has_enough(rule, wide, Side::kSubmission, rule.longest_seconds));
}

// A rule that stops once a verdict is clear gets too many clear verdicts.
TEST(StopRule, TheWidthAloneDecides) {
  const StopRule rule = stop_rule_for("cuda");
  for (const double ratio : {0.95, 1.0, 1.01, 1.05}) {
    const auto enough = [&](double spread) {
      return has_enough(rule, blocks(50, 1'000'000'000, spread, ratio), Side::kSubmission, 1);
    };
    EXPECT_TRUE(enough(0.004)) << ratio;
    EXPECT_FALSE(enough(0.006)) << ratio;
  }
}

TEST(StopRule, BetweenTwoLooksNothingEnds) {
  const StopRule rule = stop_rule_for("cuda");
  EXPECT_FALSE(has_enough(rule, blocks(51, 1'000'000'000), Side::kSubmission, 1));
  EXPECT_TRUE(has_enough(rule, blocks(75, 1'000'000'000), Side::kSubmission, 1));
  EXPECT_TRUE(has_enough(rule, blocks(rule.looks.back(), 1'000'000'000, 0.1), Side::kSubmission, 1))
      << "the last one ends it";
}

TEST(StopRule, WhatIsTooSlowForItsBlocksIsNotWaitedFor) {
  const StopRule rule = stop_rule_for("cuda");
  EXPECT_TRUE(has_enough(rule, blocks(4, 1'000'000'000, 0.1), Side::kSubmission, rule.max_seconds));
}

// A machine on which everything takes ten times as long once gave rows that were ok and had no
// time.
TEST(StopRule, NothingEndsBeforeItsFirstBlock) {
  for (const char* device : {"cpu", "cuda"})
    for (const StopRule& rule : {stop_rule_for(device), quick_stop_rule(device)})
      EXPECT_FALSE(has_enough(rule, {}, Side::kSubmission, rule.longest_seconds + 1)) << device;
}

TEST(StopRule, AConfirmationEndsWhereMarginsWouldDo) {
  const StopRule rule = confirming(stop_rule_for("cuda"));
  const auto wide = blocks(60, 1'000'000'000, 0.1);
  EXPECT_FALSE(has_enough(rule, wide, Side::kSubmission, rule.max_seconds - 1));
  EXPECT_TRUE(has_enough(rule, wide, Side::kSubmission, rule.max_seconds));
}

// Their numbers of blocks added up are no planned number.
TEST(StopRule, ASecondMeasurementIsLookedAtWhereItsOwnPlanSaysSo) {
  const StopRule rule = stop_rule_for("cuda");
  const auto together = [&](int second, double spread) {
    const auto both = [&] { return blocks(50 + second, 1'000'000, spread); };
    return has_enough_together(rule, blocks(second, 1'000'000), both, Side::kSubmission, 1);
  };
  EXPECT_TRUE(together(50, 0));
  EXPECT_FALSE(together(60, 0));
  EXPECT_FALSE(together(50, 0.1)) << "each is narrow, both are not";
  EXPECT_TRUE(together(rule.looks.back(), 0.1));
}

TEST(StopRule, QuickStopsAtEightBlocksHoweverFarTheyLieApart) {
  for (const char* device : {"cpu", "cuda"}) {
    const StopRule rule = quick_stop_rule(device);
    EXPECT_FALSE(has_enough(rule, blocks(7, 1'000'000, 0.5), Side::kSubmission, 1));
    EXPECT_TRUE(has_enough(rule, blocks(8, 1'000'000, 0.5), Side::kSubmission, 1));
  }
}

TEST(StopRule, QuickNeedsOnePlacementOnly) {
  auto samples = blocks(8, 1'000'000);
  for (Sample& sample : samples) sample.placement = 0;
  EXPECT_TRUE(has_enough(quick_stop_rule("cpu"), samples, Side::kSubmission, 1));
}

TEST(StopRule, DroppedBlocksDoNotCount) {
  const StopRule rule = stop_rule_for("cuda");
  auto samples = blocks(10, 1'000'000'000);
  samples[0].dropped = samples[1].dropped = samples[2].dropped = samples[3].dropped = true;
  EXPECT_FALSE(has_enough(rule, samples, Side::kSubmission, 1));
}

TEST(StopRule, BaselinesAloneStopAtTheLeast) {
  const auto wide = blocks(10, 1'000'000'000, 0.1);
  EXPECT_TRUE(has_enough(stop_rule_for("cpu", Ranked::kNo), wide, Side::kSubmission, 1));
  EXPECT_FALSE(has_enough(stop_rule_for("cpu", Ranked::kYes), wide, Side::kSubmission, 1));
}

TEST(StopRule, ASideAloneHasNoIntervalToWaitFor) {
  auto samples = blocks(10, 1'000'000'000);
  std::erase_if(samples, [](const Sample& sample) { return sample.side != Side::kEager; });
  EXPECT_TRUE(has_enough(stop_rule_for("cuda"), samples, Side::kEager, 1));
}

// A rule that may stop after each placement stops where the interval is narrow by luck.
TEST(StopRule, OnCpuTheIntervalIsLookedAtAfterPlannedNumbersOfPlacements) {
  const StopRule rule = stop_rule_for("cpu");
  std::vector<int> stops;
  for (int placements = 1; placements <= 20; ++placements) {
    auto samples = blocks(2 * placements, 1'000'000'000);
    for (Sample& sample : samples) sample.placement /= 2;
    if (has_enough(rule, samples, Side::kSubmission, 1)) stops.push_back(placements);
  }
  EXPECT_EQ(stops, (std::vector<int>{6, 9, 13, 18, 19, 20}));
  const auto clear = blocks(13, 1'000'000'000, 0.04, 1.5);
  EXPECT_FALSE(has_enough(rule, clear, Side::kSubmission, 1)) << "a clear verdict ends nothing";
  EXPECT_TRUE(has_enough(rule, blocks(18, 1'000'000'000, 0.2), Side::kSubmission, 1));
}

TEST(StopRule, CpuNeedsPlacementsForItsInterval) {
  const StopRule rule = stop_rule_for("cpu");
  auto samples = blocks(20, 1'000'000'000);
  for (Sample& sample : samples) sample.placement /= 4;
  EXPECT_FALSE(has_enough(rule, samples, Side::kSubmission, 1)) << "five placements only";
}

}  // namespace
}  // namespace kbench
