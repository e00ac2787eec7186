#include "runner/core/profile_rules.hpp"

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/paths.hpp"
#include "tests/unit/profile_fixture.hpp"

namespace kbench {
namespace {

using test::call_of;
using test::input_of;
using test::kernel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<ProfileFinding> findings(const ProfileInput& input) {
  return find_verdicts(profile_rules(), facts_of(input));
}

std::string verdict(const ProfileInput& input) {
  const auto found = findings(input);
  return found.empty() ? std::string(kNoVerdict) : found.front().verdict;
}

// `count` kernels of so many microseconds, one each so many.
ProfileInput train(int count, double kernel_us, double every_us) {
  std::vector<Activity> kernels;
  for (int i = 0; i < count; ++i)
    kernels.push_back(kernel("k", i * every_us, i * every_us + kernel_us));
  return input_of({call_of(count * every_us, kernels)});
}

TEST(ProfileRules, TheShippedOnesAreSound) {
  EXPECT_GE(profile_rules().size(), 8u);
  std::set<std::string> verdicts;
  for (const ProfileRule& rule : profile_rules()) {
    EXPECT_TRUE(verdicts.insert(rule.verdict).second);
    EXPECT_FALSE(rule.wrong_if.empty() || rule.suggestion.empty()) << rule.verdict;
  }
}

TEST(ProfileRules, WhatIsWrongWithAListIsSaid) {
  EXPECT_FALSE(parse_profile_rules("{"));
  const auto rule = [](const std::string& when) {
    return R"({"rules": [{"verdict": "v", "title": "t", "evidence": "", "wrong_if": "",
               "suggestion": "", "saves": "gap_us", "when": [)" +
           when + "]}]}";
  };
  EXPECT_TRUE(parse_profile_rules(rule(R"(["kernels", ">=", 8])")));
  EXPECT_THAT(parse_profile_rules(rule("")).error().message, HasSubstr("no condition"));
  EXPECT_THAT(parse_profile_rules(rule(R"(["kernels", "~", 8])")).error().message, HasSubstr("~"));
}

TEST(ProfileRules, ManyShortKernelsWithPausesAreLaunchBoundAndFewLongOnesAreNot) {
  EXPECT_EQ(verdict(train(1000, 2, 4)), "launch_bound");
  EXPECT_EQ(verdict(train(4, 500, 502)), std::string(kNoVerdict));
}

TEST(ProfileRules, LongPausesAreTheHostsAndShortOnesAreNot) {
  EXPECT_EQ(verdict(train(10, 40, 120)), "host_bound");
  EXPECT_EQ(verdict(train(129, 2, 17)), "host_bound") << "a copy that is waited for, 64 times";
  EXPECT_EQ(verdict(train(10, 40, 42)), std::string(kNoVerdict));
}

// Was host-bound, by what the profiler took before the first kernel.
TEST(ProfileRules, ASlowFirstLaunchIsNeitherTheHostsNorThatOfManyLaunches) {
  EXPECT_EQ(verdict(input_of({call_of(530, {kernel("k", 499, 530)})})), std::string(kNoVerdict));
  std::vector<Activity> kernels;
  for (int i = 0; i < 10; ++i) kernels.push_back(kernel("k", 300 + i * 15, 314 + i * 15));
  EXPECT_EQ(verdict(input_of({call_of(450, kernels)})), std::string(kNoVerdict));
}

TEST(ProfileRules, NearTheLimitNothingElseIsSaidFirst) {
  EXPECT_EQ(verdict(input_of({call_of(36, {kernel("k", 0, 36)})})), "memory_near_limit");
  ProfileInput products = input_of({call_of(60, {kernel("k", 0, 60)})});
  products.work.least_products *= 5;
  EXPECT_EQ(verdict(products), "compute_near_limit");
  EXPECT_EQ(verdict(input_of({call_of(60, {kernel("k", 0, 60)})})), std::string(kNoVerdict));
}

// Was told to leave it, being near the limit: a kernel that does nothing.
TEST(ProfileRules, FasterThanCanBeIsNotNearTheLimit) {
  EXPECT_EQ(verdict(input_of({call_of(5, {kernel("k", 0, 5)})})), "below_limit");
}

TEST(ProfileRules, TooFewBlocksAreNamedAndEnoughAreNot) {
  Activity few = kernel("few", 0, 400);
  few.grid = {16, 1, 1};
  EXPECT_EQ(verdict(input_of({call_of(400, {few})})), "too_little_parallelism");
  few.grid = {264, 1, 1};
  EXPECT_EQ(verdict(input_of({call_of(400, {few})})), std::string(kNoVerdict));
}

TEST(ProfileRules, TooFewThreadsAreNamedByWhatTakesTheirPlace) {
  Activity fat = kernel("fat", 0, 400);
  fat.block = {64, 1, 1};
  fat.dynamic_shared_bytes = 160 << 10;
  ProfileInput input = input_of({call_of(400, {fat})});
  EXPECT_EQ(verdict(input), std::string(kNoVerdict)) << "whether it waits is not known";
  input.recorded.counters = {{{"issue_percent", 12}}};
  const auto found = findings(input);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().verdict, "too_few_threads");
  EXPECT_THAT(found.front().evidence, HasSubstr("163840 bytes of shared memory"));
}

// Was told to have more threads at work: a kernel that keeps its results in registers, and issues
// in 61 % of the cycles. Its twin with twice as many threads takes 1.2 times as long.
TEST(ProfileRules, FewThreadsThatKeepAMultiprocessorBusyAreEnough) {
  Activity blocked = kernel("blocked", 0, 400);
  blocked.block = {64, 1, 1};
  blocked.registers = 255;
  ProfileInput input = input_of({call_of(400, {blocked})});
  input.recorded.counters = {{{"issue_percent", 61}}};
  EXPECT_EQ(verdict(input), std::string(kNoVerdict));
}

TEST(ProfileRules, SpillsAreNamedAndNoneAreNot) {
  ProfileInput input = input_of({call_of(400, {kernel("k", 0, 400)})});
  input.resources = {{.name = "k", .spill_store_bytes = 300, .spill_load_bytes = 300}};
  EXPECT_EQ(verdict(input), "memory_spills");
  input.recorded.counters = {{{"local_load_sectors", 20},
                              {"local_store_sectors", 20},
                              {"load_sectors", 40},
                              {"store_sectors", 40}}};
  EXPECT_EQ(verdict(input), std::string(kNoVerdict)) << "most of what it moves is something else";
  input.recorded.counters.front()["local_load_sectors"] = 80;
  EXPECT_EQ(verdict(input), "memory_spills");
  input.resources.front().spill_load_bytes = input.resources.front().spill_store_bytes = 0;
  EXPECT_EQ(verdict(input), std::string(kNoVerdict));
}

TEST(ProfileRules, DoublePrecisionByAccidentIsNamed) {
  ProfileInput input = input_of({call_of(400, {kernel("k", 0, 400)})});
  input.instructions = InstructionCounts{.fp64 = 40, .fp32 = 60};
  EXPECT_EQ(verdict(input), "compute_fp64") << "an H200 takes twice as long for each";
  input.instructions = InstructionCounts{.fp64 = 10, .fp32 = 90};
  EXPECT_EQ(verdict(input), std::string(kNoVerdict));
  input.device.compute_capability = 89;
  EXPECT_EQ(verdict(input), "compute_fp64") << "and a GPU for games 64 times as long";
  input.instructions = InstructionCounts{.fp64 = 1, .fp32 = 99};
  EXPECT_EQ(verdict(input), std::string(kNoVerdict));
}

TEST(ProfileRules, TensorCoresThatNobodyUsesAreNamedWhereTheClassLetsThem) {
  ProfileInput input = input_of({call_of(400, {kernel("k", 0, 400)})});
  input.work.direct_products = 300e-6 * 50e12;  // and 30 us in tf32
  input.precision = "tf32";
  EXPECT_EQ(verdict(input), std::string(kNoVerdict)) << "nobody knows its instructions";
  input.instructions = InstructionCounts{.fp32 = 100};
  EXPECT_EQ(verdict(input), "compute_no_tensor_cores");
  input.instructions = InstructionCounts{.fp32 = 100, .tensor = 8};
  EXPECT_EQ(verdict(input), std::string(kNoVerdict));
}

// A kernel of 400 us where 30 would do, with the counters of an honest one but for those given.
ProfileInput counted(const KernelCounters& given) {
  ProfileInput input = input_of({call_of(400, {kernel("k", 0, 400)})});
  const double half = input.work.least_bytes() / 2;
  KernelCounters counters = {{"dram_read_bytes", half},      {"dram_write_bytes", half},
                             {"load_sectors", 1000},         {"load_bytes_of_sector", 32},
                             {"store_sectors", 0},           {"shared_wavefronts", 1000},
                             {"shared_conflicts", 10},       {"l1_percent", 50},
                             {"memory_percent", 70},         {"issue_percent", 50},
                             {"threads_of_instruction", 32}, {"l2_sectors", 1000},
                             {"atomic_sectors", 1},          {"reduction_sectors", 0}};
  for (const auto& [name, value] : given) counters[name] = value;
  input.recorded.counters = {counters};
  return input;
}

TEST(ProfileRules, WhatCountersShowIsNamedAndAnHonestKernelIsNot) {
  EXPECT_EQ(verdict(counted({})), std::string(kNoVerdict));
  EXPECT_EQ(verdict(counted({{"load_bytes_of_sector", 4}})), "memory_uncoalesced");
  EXPECT_EQ(verdict(counted({{"dram_read_bytes", 30e-6 * 4e12 * 7}})), "memory_rereads");
  EXPECT_EQ(verdict(counted({{"shared_conflicts", 900}})), "bank_conflicts");
  EXPECT_EQ(verdict(counted({{"threads_of_instruction", 8}})), "divergent");
  EXPECT_EQ(verdict(counted({{"reduction_sectors", 500}})), "atomic_contention");
  EXPECT_EQ(verdict(counted({{"l1_percent", 74}})), "shared_memory_busy");
}

// Was closest to "memory-bound": a convolution that its path of shared memory holds up, of whose
// time the device's memory has 1.6 %.
TEST(ProfileRules, WhatSharedMemoryHoldsUpIsNotBoundByTheDevicesMemory) {
  const auto found =
      findings(counted({{"l1_percent", 74}, {"memory_percent", 74}, {"load_bytes_of_sector", 16}}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().verdict, "shared_memory_busy");
}

// Said "cannot save more than 328 us" of 3.3 ms: a quarter of the convolution's products counted,
// as in Winograd's algorithm, which the kernel does not use.
TEST(ProfileRules, TensorCoresAreWeighedByTheProductsOfADirectKernel) {
  ProfileInput input = input_of({call_of(400, {kernel("k", 0, 400)})});
  input.precision = "tf32";
  input.instructions = InstructionCounts{.fp32 = 100};
  input.work.direct_products = 160e-6 * 50e12;
  input.work.least_products = input.work.direct_products / 4;
  const auto found = findings(input);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().verdict, "compute_no_tensor_cores");
  EXPECT_THAT(found.front().evidence, HasSubstr("the products take 160 us"));
  EXPECT_DOUBLE_EQ(found.front().saves_us, 370) << "all above the limit";
}

// A reader took "299 us of 306" for what equal turns of a loop would save, with 16 of 32 threads at
// work: half of the time is what they can.
TEST(ProfileRules, EndingADivergenceSavesNoMoreThanWhatItsIdleThreadsTake) {
  const auto found = findings(counted({{"threads_of_instruction", 16}}));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().verdict, "divergent");
  EXPECT_DOUBLE_EQ(found.front().saves_us, 200);
}

TEST(ProfileRules, ASentenceHasSharesInPercent) {
  const auto found = findings(counted({{"shared_conflicts", 900}}));
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found.front().evidence, ::testing::StartsWith("90 % of the accesses"));
}

// Numbers that a GPU told of the kernels of tests/profile, so that a changed rule is held against
// all.
TEST(ProfileRules, RecordedKernelsAreNamedAndTheirTwinsAreNot) {
  std::ifstream file(std::string(test::kSource) + "/tests/profile/recorded.json");
  const Json recorded = Json::parse(file);
  std::set<std::string> named;
  for (const Json& one : recorded.at("kernels")) {
    const ProfileFacts facts{.numbers = one.at("facts").get<std::map<std::string, double>>()};
    const auto found = find_verdicts(profile_rules(), facts);
    const std::string got = found.empty() ? std::string(kNoVerdict) : found.front().verdict;
    const auto fault = one.at("fault").get<std::string>();
    const std::string of =
        one.at("kind").get<std::string>() + "/" + one.at("name").get<std::string>();
    if (one.at("kind") == "bad")
      EXPECT_EQ(got, fault) << of;
    else
      EXPECT_NE(got, fault) << of;
    named.insert(fault);
  }
  EXPECT_EQ(named.size(), 13u);
}

ProfileRule rule_of(const std::string& verdict, std::vector<ProfileCondition> when) {
  ProfileRule rule{.verdict = verdict, .title = "title of " + verdict, .when = std::move(when)};
  rule.evidence = "{b} of {c} at {share:%} by {nobody}";
  return rule;
}

std::vector<std::string> verdicts(const std::vector<CloseRule>& rules) {
  std::vector<std::string> names;
  for (const CloseRule& rule : rules) names.push_back(rule.verdict);
  return names;
}

// Facts a to c of 100, 10 and 4.
const ProfileFacts kFacts{.numbers = {{"a", 100}, {"b", 10}, {"c", 4}, {"share", 0.1234}}};

TEST(ClosestRules, OneConditionFailsByAFifthOfItsBoundAtMost) {
  const auto names = [](std::vector<ProfileCondition> when) {
    return verdicts(closest_rules({rule_of("r", std::move(when))}, kFacts));
  };
  EXPECT_THAT(names({{"a", ">", 1}, {"b", ">=", 12.5}}), ElementsAre("r"));
  EXPECT_THAT(names({{"b", ">=", 12.6}}), IsEmpty()) << "too far";
  EXPECT_THAT(names({{"b", "<", 10}}), ElementsAre("r")) << "at the bound itself";
  EXPECT_THAT(names({{"b", "<=", 8.4}}), ElementsAre("r"));
  EXPECT_THAT(names({{"b", "<=", 8}}), IsEmpty());
  EXPECT_THAT(names({{"b", "==", 9}}), ElementsAre("r"));
  EXPECT_THAT(names({{"a", ">", 101}, {"b", ">=", 11}}), IsEmpty()) << "two conditions fail";
  EXPECT_THAT(names({{"a", ">", 1}, {"b", ">=", 1}}), IsEmpty()) << "it holds";
  EXPECT_THAT(names({{"b", "==", 0}}), IsEmpty()) << "nothing is a fifth of nothing away";
}

TEST(ClosestRules, AllFactsAreKnown) {
  const auto found = [](std::vector<ProfileCondition> when) {
    return closest_rules({rule_of("r", std::move(when))}, kFacts);
  };
  EXPECT_THAT(found({{"b", ">=", 11}, {"unknown", ">=", 1}}), IsEmpty());
  EXPECT_THAT(found({{"b", ">=", 11}, {"a", ">=", 1, "unknown"}}), IsEmpty());
  const auto by_another = found({{"b", ">=", 3, "c"}});
  ASSERT_EQ(by_another.size(), 1u);
  EXPECT_DOUBLE_EQ(by_another[0].bound, 12);
  EXPECT_EQ(by_another[0].asks, "its rule asks b >= 12 (3 c); here it is 10");
}

TEST(ClosestRules, TheNearestTwoAreThere) {
  const auto found =
      closest_rules({rule_of("far", {{"b", ">=", 12}}), rule_of("near", {{"b", ">=", 10.1}}),
                     rule_of("between", {{"b", ">=", 11}}), rule_of("out", {{"b", ">=", 100}})},
                    kFacts);
  EXPECT_THAT(verdicts(found), ElementsAre("near", "between"));
  EXPECT_EQ(found[0].title, "title of near");
  EXPECT_EQ(found[0].fact, "b");
  EXPECT_DOUBLE_EQ(found[0].value, 10);
  EXPECT_EQ(found[0].comparison, ">=");
  EXPECT_DOUBLE_EQ(found[0].bound, 10.1);
}

TEST(ClosestRules, ValueAndBoundDifferInPrint) {
  const auto said = [](double value, double bound) {
    const ProfileFacts facts{.numbers = {{"b", value}}};
    const auto found = closest_rules({rule_of("r", {{"b", ">=", bound}})}, facts);
    return found.empty() ? std::string() : found[0].asks;
  };
  EXPECT_EQ(said(1.496, 1.5), "its rule asks b >= 1.5; here it is 1.496");
  EXPECT_EQ(said(1.4999996, 1.5), "its rule asks b >= 1.5; here it is 1.4999996");
  EXPECT_EQ(said(7, 8), "its rule asks b >= 8; here it is 7");
  EXPECT_EQ(said(123456.1, 123456.2), "its rule asks b >= 123456.2; here it is 123456.1");
}

TEST(ClosestRules, TheEvidenceHasTheDigitsToo) {
  const ProfileFacts facts{.numbers = {{"b", 1.496}, {"c", 4}, {"share", 0.29996}}};
  EXPECT_EQ(closest_rules({rule_of("r", {{"b", ">=", 1.5}})}, facts).at(0).evidence,
            "1.496 of 4 at 30 % by ?");
  EXPECT_EQ(closest_rules({rule_of("r", {{"share", ">=", 0.3}})}, facts).at(0).evidence,
            "1.5 of 4 at 29.996 % by ?");
}

// Was "not judged: no rule holds" and nothing else, with a ratio of 1.496 where 1.5 is a verdict.
TEST(ClosestRules, OfTheShippedOnesAKernelThatAlmostReadsTwiceIsOne) {
  const double least = 30e-6 * 4e12;
  ProfileInput input = counted({{"dram_read_bytes", 0.996 * least}});
  input.recorded.calls = {call_of(80, {kernel("k", 0, 80)})};
  const ProfileFacts facts = facts_of(input);
  EXPECT_THAT(find_verdicts(profile_rules(), facts), IsEmpty());
  const auto found = closest_rules(profile_rules(), facts);
  ASSERT_THAT(verdicts(found), ElementsAre("memory_rereads"));
  EXPECT_EQ(found[0].asks, "its rule asks dram_ratio >= 1.5; here it is 1.496");
  EXPECT_THAT(found[0].evidence, HasSubstr("moves 1.496 times the bytes"));
}

TEST(CounterLines, SayWhatIsKnown) {
  const ProfileFacts all{.numbers = {{"dram_ratio", 1.213},
                                     {"dram_us", 50},
                                     {"call_us", 100},
                                     {"occupancy_percent", 61.53},
                                     {"sector_use_percent", 100},
                                     {"l1_percent", 24.1},
                                     {"memory_percent", 30},
                                     {"l2_hit_percent", 95},
                                     {"issue_percent", 12.345}}};
  EXPECT_THAT(counter_lines(all),
              ElementsAre("cycles that issue 12.3 %, shared memory and L1 24.1 %, busiest memory "
                          "path 30 %, occupancy 61.5 %, L2 hits 95 %, sectors used 100 %",
                          "the device's memory moves 1.21 times the bytes that have to move: at "
                          "full bandwidth 50 % of the call"));
  EXPECT_THAT(counter_lines({.numbers = {{"dram_us", 50}, {"occupancy_percent", 5}}}),
              ElementsAre("occupancy 5 %"));
  EXPECT_THAT(counter_lines({}), IsEmpty());
}

TEST(ProfileRules, CountersOfAnotherNumberOfKernelsCountForNothing) {
  ProfileInput input = counted({{"load_bytes_of_sector", 4}});
  input.recorded.counters.push_back(input.recorded.counters.front());
  EXPECT_EQ(verdict(input), std::string(kNoVerdict));
}

TEST(ProfileRules, AFactThatIsNotKnownIsNotGuessed) {
  ProfileInput input = input_of({{400'000, 0, {}}});
  EXPECT_TRUE(findings(input).empty()) << "no activities, so no launches and no kernels";
}

TEST(ProfileRules, WhatCouldSaveMostComesFirst) {
  ProfileInput input = train(100, 20, 60);
  input.resources = {{.name = "k", .spill_store_bytes = 300}};
  const auto found = findings(input);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].verdict, "host_bound");
  EXPECT_EQ(found[1].verdict, "memory_spills");
  EXPECT_GT(found[0].saves_us, found[1].saves_us);
}

}  // namespace
}  // namespace kbench
