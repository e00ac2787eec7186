#include "runner/reward/reward.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/rewards.hpp"
#include "tests/unit/score_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

RewardRow correct_row(double over_eager, double over_compiled) {
  const auto ratio = [](double x) { return RewardRow::Ratio{x, x / 1.01, true}; };
  return {.state = State::kOk,
          .correct = true,
          .eager = ratio(over_eager),
          .compiled = ratio(over_compiled)};
}

std::optional<double> value(const std::string& name, const RewardRow& row) {
  return reward(find_reward(name).value(), row).value;
}

// The whole table is held against one of its own in tests/golden/reward_test.py.
TEST(Reward, FivePercentLessTimeIsMoreThanFivePercentFaster) {
  EXPECT_EQ(value("milestone", correct_row(1.051, 1.051)), 1);
  EXPECT_EQ(value("milestone", correct_row(1.053, 1.051)), 2);
  EXPECT_EQ(value("milestone", correct_row(1.053, 1.053)), 3);
  EXPECT_EQ(value("milestone", correct_row(1.051, 9)), 1) << "over compiled alone";
  EXPECT_EQ(value("milestone_sure", correct_row(1.053, 1.053)), 1) << "the intervals begin below";
  EXPECT_EQ(value("milestone_sure", correct_row(1.08, 1.08)), 3);
}

TEST(Reward, WhoIsPaidAtMostTheSameGetsNothingForSpeed) {
  RewardRow row = correct_row(9, 9);
  row.pay = Pay::kAtMostSame;
  EXPECT_EQ(value("milestone", row), 1);
  EXPECT_EQ(value("milestone_sure", row), 1) << "the low end is bounded as well";
  EXPECT_EQ(value("speedup", row), 1);
}

TEST(Reward, AnIntervalThatHoldsNothingIsNoReward) {
  RewardRow row = correct_row(2, 2);
  row.eager->sure = false;
  const Reward made = reward(find_reward(kDefaultReward).value(), row);
  EXPECT_EQ(made.value, 1);
  EXPECT_TRUE(made.capped);
  EXPECT_THAT(made.reason, HasSubstr("over eager"));
  EXPECT_EQ(value("milestone", row), 3);
}

TEST(Reward, WithoutACompiledTimeItIsAtMostTwoAndSaysSo) {
  RewardRow row = correct_row(4, 4);
  row.compiled.reset();
  for (const char* name : {"milestone", "milestone_sure"}) {
    const Reward made = reward(find_reward(name).value(), row);
    EXPECT_EQ(made.value, 2) << name;
    EXPECT_TRUE(made.capped) << name;
    EXPECT_EQ(made.reason, "no time over compiled") << name;
  }
  const Reward speedup = reward(find_reward("speedup").value(), row);
  EXPECT_FALSE(speedup.value);
  EXPECT_FALSE(speedup.capped);
  EXPECT_EQ(speedup.reason, "no time over compiled");
}

// Not every task is a call of a library, and not every run asks for one.
TEST(Reward, OverTheVendorARowWithoutATimeOfItIsWorthNothing) {
  RewardRow row = correct_row(2, 2);
  for (const char* name :
       {"vendor_speedup", "vendor_log", "vendor_fast_p:1", "vendor_sure_fast_p:1"}) {
    const Reward made = reward(find_reward(name).value(), row);
    EXPECT_FALSE(made.value) << name;
    EXPECT_EQ(made.reason, "no time over the vendor's library") << name;
  }
  row.vendor = RewardRow::Ratio{0.9, 0.8, true};
  EXPECT_EQ(value("vendor_speedup", row), 0.9) << "twice eager, and slower than the library";
  EXPECT_EQ(value("vendor_log", row), std::log(0.9));
  EXPECT_EQ(value("vendor_fast_p:0.85", row), 1);
  EXPECT_EQ(value("vendor_sure_fast_p:0.85", row), 0);
  EXPECT_EQ(value("vendor_sure_fast_p:0.75", row), 1);
  row.vendor->sure = false;
  EXPECT_EQ(value("vendor_sure_fast_p:0.75", row), std::nullopt);
  row.state = State::kWrongResult;
  EXPECT_EQ(value("vendor_log", row), -1);
  EXPECT_EQ(value("vendor_fast_p:1", row), 0);
}

TEST(Reward, FaultsOfOursAreNeitherGoodNorBad) {
  for (const State state :
       {State::kInfrastructureError, State::kDoesNotFit, State::kSkipped, State::kNoSubmission}) {
    RewardRow row = correct_row(2, 2);
    row.state = state;
    for (const RewardKind& kind : reward_kinds()) {
      std::string name(kind.name);
      if (has_threshold(kind.formula)) name.replace(name.size() - 1, 1, "1");
      const Reward made = reward(find_reward(name).value(), row);
      EXPECT_FALSE(made.value) << name << " " << to_string(state);
      EXPECT_FALSE(made.reason.empty()) << name << " " << to_string(state);
    }
  }
}

TEST(Reward, WhatSeemsFastButIsSuspectFails) {
  RewardRow row = correct_row(50, 50);
  row.state = State::kSuspect;
  EXPECT_EQ(value("milestone_sure", row), -1);
  EXPECT_EQ(value("speedup", row), 0);
  EXPECT_EQ(value("kernelgym_ladder", row), -1);
}

TEST(Reward, ATaskThatTellsNoRightFromWrongRewardsNobody) {
  RewardRow row = correct_row(2, 2);
  row.unranked = "zeros pass";
  const Reward made = reward(find_reward("kevin").value(), row);
  EXPECT_FALSE(made.value);
  EXPECT_THAT(made.reason, HasSubstr("zeros pass"));
}

TEST(Reward, NamesThatAreNoneAreRefusedWithTheNearest) {
  const auto near = find_reward("milstone");
  ASSERT_FALSE(near);
  EXPECT_EQ(near.error().code, ErrorCode::kUsage);
  EXPECT_THAT(near.error().hint, HasSubstr("\"milestone\""));
  for (const char* name : {"", "fast_p", "fast_p:", "fast_p:P", "fast_p:0", "fast_p:-1",
                           "fast_p:1e3", "fast_p:nan", "fast_p:inf", "fast_p:1.5x", "fast_p:1001",
                           "vendor_fast_p:", "vendor_fast_p:P", "Milestone", "milestone "})
    EXPECT_FALSE(find_reward(name)) << name;
  EXPECT_EQ(find_reward("fast_p:1.5").value().p, 1.5);
  EXPECT_EQ(find_reward("vendor_sure_fast_p:2").value().formula, RewardFormula::kVendorSureFastP);
}

TEST(Reward, WhyARowWasSkippedIsToldByTheRowItself) {
  ResultRow row = test::solved("a", 1, 2, 2);
  row.state = State::kSkipped;
  row.message = "no nvcc is installed\nPATH is empty";
  const RewardRule rule = find_reward("speedup").value();
  EXPECT_EQ(reward_of(row, rule).reason, "no nvcc is installed");
  row.message.clear();
  EXPECT_EQ(reward_of(row, rule).reason, "it was skipped");
}

// Nine digits on both sides: what JSON shows decides.
TEST(Reward, IsMadeOfTheNumbersThatAreShown) {
  ResultRow row = test::solved("a", 1, 1.5 - 1e-12, 1);
  const RewardRule rule = find_reward("kernelgym_ladder").value();
  EXPECT_EQ(reward_of(row, rule).value, 0.6);
  row.over_eager->estimate = 1.5 - 1e-8;
  EXPECT_EQ(reward_of(row, rule).value, 0.4);
}

TEST(Reward, JsonHasNullsForWhatIsNotThere) {
  EXPECT_EQ(to_json(Reward{.name = "log", .value = 0.1 + 0.2}),
            (Json{{"name", "log"}, {"value", 0.3}, {"capped", false}, {"reason", nullptr}}));
  EXPECT_EQ(
      to_json(Reward{.name = "log", .reason = "nobody submitted"}),
      (Json{
          {"name", "log"}, {"value", nullptr}, {"capped", false}, {"reason", "nobody submitted"}}));
}

}  // namespace
}  // namespace kbench
