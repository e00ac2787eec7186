#include "reports/formats/profile_compare.hpp"

#include <gmock/gmock.h>

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ProfileRecord record(const std::string& submission, double us, double kernels) {
  ProfileRecord made;
  made.task = "level1/019_relu";
  made.size = "full";
  made.side = submission.empty() ? "eager" : "submission";
  made.submission = submission;
  made.device = "a recorded device";
  made.precision = "fp32";
  made.verdict = "launch_bound";
  made.evidence = "many kernels";
  made.suggestions = {{"launch_bound", "launch-bound", "many kernels", "", "fuse them", 10}};
  made.facts = {{"call_us", us}, {"kernels", kernels}, {"busy_us", 30}};
  return made;
}

ProfileComparison compared(ProfileRecord a, ProfileRecord b) {
  auto comparison = compare_profiles(std::move(a), std::move(b));
  EXPECT_TRUE(comparison.ok()) << comparison.error().message;
  return comparison ? std::move(*comparison) : ProfileComparison();
}

std::vector<std::string> names(const ProfileComparison& comparison, bool changed) {
  std::vector<std::string> found;
  for (const ComparedFact& fact : comparison.facts)
    if (fact.changed == changed) found.push_back(fact.name);
  return found;
}

TEST(ProfileCompare, WhatChangedStandsFirstTheCallBeforeAllElse) {
  const auto comparison = compared(record("", 90, 12), record("me/relu", 36, 1));
  EXPECT_THAT(names(comparison, true), ElementsAre("call_us", "kernels"));
  EXPECT_THAT(names(comparison, false), ElementsAre("busy_us"));
  EXPECT_TRUE(comparison.facts[0].changed);
  EXPECT_DOUBLE_EQ(comparison.facts[0].ratio().value(), 0.4);
  EXPECT_THAT(comparison.cautions, IsEmpty());
}

TEST(ProfileCompare, FivePercentAreTheSameAndAFactOfOneIsAChange) {
  ProfileRecord other = record("me/relu", 94, 12);
  other.facts["spill_bytes"] = 400;
  const auto comparison = compared(record("", 90, 12), other);
  EXPECT_THAT(names(comparison, true), ElementsAre("spill_bytes"));
  EXPECT_FALSE(comparison.facts[0].ratio()) << "one of them has none";
}

// An earlier one counts as idle what lies before the first activity and after the last one.
TEST(ProfileCompare, IdleTimesOfTwoMeaningsAreACaution) {
  ProfileRecord earlier = record("", 90, 1);
  earlier.facts["gap_us"] = 60;
  ProfileRecord now = record("me/relu", 90, 1);
  now.facts["gap_us"] = 0;
  now.facts["around_us"] = 60;
  const auto comparison = compared(earlier, now);
  EXPECT_THAT(comparison.cautions,
              ElementsAre("A is of an earlier kbench: its idle time includes launch and profiler"));
  EXPECT_THAT(names(comparison, true), ::testing::Contains("around_us"));
  EXPECT_THAT(compared(now, now).cautions, IsEmpty());
  EXPECT_THAT(compared(earlier, earlier).cautions, IsEmpty());
  EXPECT_THAT(compared(now, earlier).cautions, ElementsAre(HasSubstr("B is of an earlier")));
}

TEST(ProfileCompare, WithoutAVerdictTheClosestRuleIsThere) {
  ProfileRecord none = record("me/relu", 90, 12);
  none.verdict = "not_judged";
  none.evidence = "no rule holds";
  none.suggestions.clear();
  none.closest = {{.verdict = "memory_rereads",
                   .title = "re-reads",
                   .evidence = "1.496 times the bytes",
                   .asks = "its rule asks dram_ratio >= 1.5; here it is 1.496"}};
  EXPECT_THAT(render_profile_comparison(compared(record("", 90, 12), none), {}),
              HasSubstr("B  not judged: no rule holds\n   closest: re-reads: 1.496 times the bytes "
                        "(its rule asks dram_ratio >= 1.5; here it is 1.496)\n"));
}

TEST(ProfileCompare, ZeroOnBothSidesIsNoChange) {
  ProfileRecord a = record("", 90, 12);
  ProfileRecord b = record("me/relu", 90, 12);
  a.facts["copy_us"] = b.facts["copy_us"] = 0;
  EXPECT_THAT(names(compared(a, b), true), IsEmpty());
}

TEST(ProfileCompare, TheTextHasTheVerdictsBeforeTheNumbers) {
  ProfileRecord fast = record("me/relu", 36, 1);
  fast.verdict = "memory_near_limit";
  fast.suggestions = {{"memory_near_limit", "near the limit", "", "", "leave it", 1}};
  const std::string text = render_profile_comparison(compared(record("", 90, 12), fast), {});
  for (const char* part : {"A  level1/019_relu eager", "B  level1/019_relu submission me/relu",
                           "the verdict changed", "launch-bound: many kernels", "do: leave it",
                           "What changed", "call (us)", "0.4", "The same within 5 %"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_LT(text.find("the verdict changed"), text.find("What changed"));
  EXPECT_LT(text.find("What changed"), text.find("The same within"));
}

TEST(ProfileCompare, WhatIsHardlyToBeComparedIsSaid) {
  ProfileRecord other = record("me/relu", 36, 1);
  other.size = "small";
  other.device = "another\x1b[2J device";
  const auto comparison = compared(record("", 90, 12), other);
  EXPECT_THAT(comparison.cautions,
              ElementsAre(HasSubstr("the size: full and small"), HasSubstr("the device")));
  EXPECT_THAT(render_profile_comparison(comparison, {}), Not(HasSubstr("\x1b")));
}

TEST(ProfileCompare, CallsOfTwoTasksAreNotCompared) {
  ProfileRecord other = record("me/relu", 36, 1);
  other.task = "level1/020_leakyrelu";
  const auto refused = compare_profiles(record("", 90, 12), other);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("A is of level1/019_relu and B of level1/020"));
}

TEST(ProfileCompare, ASubmissionThatIsCalledEagerIsNoBaseline) {
  const std::string text =
      render_profile_comparison(compared(record("", 90, 12), record("eager", 36, 1)), {});
  EXPECT_THAT(text, HasSubstr("A  level1/019_relu eager (full)"));
  EXPECT_THAT(text, HasSubstr("B  level1/019_relu submission eager (full)"));
}

TEST(ProfileCompare, CautionsOfEachAreSaid) {
  ProfileRecord busy = record("me/relu", 36, 1);
  busy.cautions = {"the machine was busy"};
  EXPECT_THAT(compared(record("", 90, 12), busy).cautions, ElementsAre("B: the machine was busy"));
}

TEST(ProfileCompare, TheJsonHasBothSidesAndTheFacts) {
  const Json json = profile_comparison_json(compared(record("", 90, 12), record("me/relu", 36, 1)));
  EXPECT_EQ(json.at("a").at("side"), "eager");
  EXPECT_TRUE(json.at("a").at("submission").is_null());
  EXPECT_EQ(json.at("b").at("submission"), "me/relu");
  EXPECT_EQ(json.at("facts")[0].at("name"), "call_us");
  EXPECT_EQ(json.at("facts")[0].at("changed"), true);
}

}  // namespace
}  // namespace kbench
