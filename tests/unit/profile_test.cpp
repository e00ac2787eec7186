#include "runner/profile/profile.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/golden.hpp"
#include "tests/unit/profile_fixture.hpp"

namespace kbench {
namespace {

using test::call_of;
using test::input_of;
using test::kernel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const ProfileSubject kSubject{.task = "level1/019_relu",
                              .task_hash = "aa11",
                              .size = "full",
                              .side = "submission",
                              .submission = "me/relu",
                              .source_hash = "3333cccc",
                              .contents_hash = "4444dddd",
                              .torch = "2.11.0"};

TEST(Profile, SaysWhatBoundsTheCallAndWhatToDo) {
  const Profile profile =
      make_profile(kSubject, input_of({call_of(36, {kernel("relu(float*)", 1, 36)})}));
  const std::string text = profile_text(profile);
  for (const char* part : {"level1/019_relu", "me/relu", "36 us", "verdict   memory-bound near",
                           "wrong if", "1. leave it", "relu(float*)", "4096"})
    EXPECT_THAT(text, HasSubstr(part));
}

// A kernel that sums by atomic additions had "1 kernel, 0 copies" and its memset in nothing but the
// time.
TEST(Profile, CountsMemsetsBesideCopies) {
  Activity memset = kernel("", 0, 1);
  memset.kind = ActivityKind::kMemset;
  const Profile profile =
      make_profile(kSubject, input_of({call_of(36, {memset, kernel("relu(float*)", 2, 36)})}));
  EXPECT_THAT(profile_text(profile), HasSubstr("1 kernel, 0 copies, 1 memset, 1 stream"));
}

// tests/golden/schema_test.py holds both against data/schema.
TEST(Profile, ItsJsonMatchesItsGoldens) {
  ProfileInput judged = input_of({call_of(400, {kernel("relu(float*)", 1, 400)})});
  judged.resources = {{.name = "relu(float*)", .spill_store_bytes = 300}};
  test::expect_golden("profile/judged.json",
                      profile_json(make_profile(kSubject, judged)).dump(2) + "\n");
  ProfileInput cpu = input_of({{90'000, 0, {}}, {95'000, 0, {}}, {120'000, 0, {}}});
  cpu.recorded.problem = "the activities of a call are those of a GPU, and this is a CPU";
  cpu.limits.reset();
  cpu.peaks.copy_bytes_per_s = 4e12;
  cpu.peaks.matmul_flops_per_s = 50e12;
  cpu.waited_in_calls = 0.45;
  ProfileSubject eager = kSubject;
  eager.side = "eager";
  eager.submission = eager.source_hash = eager.contents_hash = "";
  test::expect_golden("profile/of_a_cpu.json",
                      profile_json(make_profile(eager, cpu)).dump(2) + "\n");
}

TEST(Profile, SaysHowFarItsCallsAreApart) {
  const Profile profile =
      make_profile(kSubject, input_of({{36'000, 0, {}}, {35'000, 0, {}}, {1'500'000, 0, {}}}));
  EXPECT_THAT(profile_text(profile), HasSubstr("36 us (median of 3, 35 us to 1.5 ms"));
}

// A reader cannot tell the bandwidth of a copy from that of reading.
TEST(Profile, TheLimitSaysWhichBandwidthItTakes) {
  ProfileInput input = input_of({call_of(36, {kernel("k", 1, 36)})});
  EXPECT_THAT(profile_text(make_profile(kSubject, input)),
              HasSubstr("limit     30 us a call (bytes at 4 TB/s, calibrated "
                        "2026-11-28T12:00:00Z); share of"));
  input.limits->read.value = 4.27e12;
  input.limits->write.value = 4.6e12;
  EXPECT_THAT(profile_text(make_profile(kSubject, input)),
              HasSubstr("(bytes at 4.27 TB/s (read) and 4.6 TB/s (written), calibrated 2026"));
  input.limits.reset();
  input.peaks.copy_bytes_per_s = 2.5e10;
  input.peaks.matmul_flops_per_s = 5e13;
  EXPECT_THAT(profile_text(make_profile(kSubject, input)),
              HasSubstr("(bytes at 25 GB/s, measured beside it, not calibrated)"));
}

TEST(Profile, AnEarlierProfileHasOneRateForReadingAndWriting) {
  EXPECT_EQ(limit_words("bytes, calibrated today", {{"limit_gb_per_s", 4600}}),
            "bytes at 4.6 TB/s, calibrated today");
}

TEST(Profile, ALimitByProductsTakesNoBandwidth) {
  ProfileInput input = input_of({call_of(60, {kernel("k", 0, 60)})});
  input.work.least_products *= 5;
  EXPECT_THAT(profile_text(make_profile(kSubject, input)),
              HasSubstr("limit     50 us a call (products, calibrated 2026-11-28T12:00:00Z)"));
}

// A quiet machine and a calibrated device need no word.
TEST(Profile, ABusyMachineIsACaution) {
  ProfileInput input = input_of({call_of(36, {kernel("k", 1, 36)})});
  EXPECT_TRUE(make_profile(kSubject, input).cautions.empty());
  input.waited_in_calls = 0.05;
  EXPECT_TRUE(make_profile(kSubject, input).cautions.empty());
  input.waited_in_calls = 0.5;
  EXPECT_THAT(profile_text(make_profile(kSubject, input)),
              HasSubstr("caution   the machine was busy: some program waited for a core for 50 %"));
}

TEST(Profile, ASubmissionThatIsCalledEagerIsNoBaseline) {
  ProfileSubject subject = kSubject;
  subject.submission = "eager";
  EXPECT_THAT(profile_text(make_profile(subject, input_of({call_of(36, {})}))),
              HasSubstr("level1/019_relu submission eager (full)"));
}

TEST(Profile, WithoutARuleThatHoldsItSaysSoAndGuessesNothing) {
  const Profile profile = make_profile(kSubject, input_of({call_of(90, {kernel("k", 0, 90)})}));
  EXPECT_THAT(profile_text(profile), HasSubstr("not judged"));
  EXPECT_EQ(profile_json(profile).at("verdict"), "not_judged");
  EXPECT_TRUE(profile_json(profile).at("suggestions").empty());
}

// A kernel of 45 us with a limit of 30 us: 0.667 where 0.75 is near the limit.
TEST(Profile, WithoutAVerdictTheClosestRuleIsThere) {
  const Profile profile = make_profile(kSubject, input_of({call_of(45, {kernel("k", 0, 45)})}));
  EXPECT_THAT(profile_text(profile), HasSubstr("\nverdict   not judged: no rule holds"));
  EXPECT_THAT(profile_text(profile),
              HasSubstr("\nclosest   memory-bound near the limit: the bytes that must move take 30 "
                        "us at the device's bandwidth, the call takes 45 us: 66.7 % of the limit\n"
                        "          its rule asks limit_share >= 0.75; here it is 0.6667\n"));
  const Json json = profile_json(profile);
  ASSERT_EQ(json.at("closest").size(), 1u);
  const Json& first = json.at("closest")[0];
  EXPECT_EQ(first.at("verdict"), "memory_near_limit");
  EXPECT_EQ(first.at("title"), "memory-bound near the limit");
  EXPECT_EQ(first.at("fact"), "limit_share");
  EXPECT_DOUBLE_EQ(first.at("value").get<double>(), 30.0 / 45);
  EXPECT_EQ(first.at("comparison"), ">=");
  EXPECT_EQ(first.at("bound"), 0.75);
}

TEST(Profile, WithAVerdictNoRuleIsClosest) {
  const Profile profile = make_profile(kSubject, input_of({call_of(36, {kernel("k", 0, 36)})}));
  EXPECT_EQ(profile_json(profile).at("closest"), Json::array());
  EXPECT_THAT(profile_text(profile), Not(HasSubstr("closest")));
}

// A writer of kernels read them from the database.
TEST(Profile, CountersAreThereWithAVerdictAndWithout) {
  ProfileInput input = input_of({call_of(90, {kernel("k", 0, 90)})});
  input.recorded.counters = {
      {{"dram_read_bytes", 30e-6 * 4e12}, {"dram_write_bytes", 0}, {"occupancy_percent", 61.5}}};
  const std::string counters =
      "\ncounters  occupancy 61.5 %\n"
      "          the device's memory moves 1 times the bytes that have to move: at full bandwidth "
      "33.3 % of the call\n";
  const Profile unjudged = make_profile(kSubject, input);
  EXPECT_THAT(profile_text(unjudged), HasSubstr(counters));
  EXPECT_THAT(profile_text(unjudged), HasSubstr("not judged: no rule holds\n"));
  EXPECT_EQ(profile_json(unjudged).at("closest"), Json::array());
  input.recorded.counters.front()["l1_percent"] = 80;
  input.recorded.counters.front()["shared_conflicts"] = 0;
  input.recorded.counters.front()["shared_wavefronts"] = 1000;
  const std::string judged = profile_text(make_profile(kSubject, input));
  EXPECT_THAT(judged, HasSubstr("\ncounters  shared memory and L1 80 %, occupancy 61.5 %\n"));
  EXPECT_THAT(judged, HasSubstr("\nverdict   bound by shared memory"));
}

TEST(Profile, ItsContentsAreStored) {
  const auto stored = to_be_stored(make_profile(kSubject, input_of({call_of(45, {})})),
                                   "2026-11-28T12:00:00Z", "1.2.3");
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(stored->record.contents_hash, "4444dddd");
  Json earlier = Json::parse(stored->json);
  earlier.erase("contents_hash");
  EXPECT_EQ(parse_profile(earlier.dump()).value().contents_hash, "");
}

// Closest rules follow from the facts, so that a record needs none.
TEST(Profile, TheClosestRulesAreNotStoredAndAreReadAllTheSame) {
  const auto stored =
      to_be_stored(make_profile(kSubject, input_of({call_of(45, {kernel("k", 0, 45)})})),
                   "2026-11-28T12:00:00Z", "1.2.3");
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_FALSE(Json::parse(stored->json).contains("closest"));
  ASSERT_EQ(stored->record.closest.size(), 1u);
  EXPECT_EQ(stored->record.closest[0].verdict, "memory_near_limit");
}

TEST(Profile, WhatIsNotThereHasOneLine) {
  ProfileInput input = input_of({{90'000, 0, {}}});
  input.recorded.problem = "CUPTI was not found";
  const std::string text = profile_text(make_profile(kSubject, input));
  EXPECT_THAT(text, HasSubstr("not there: CUPTI was not found"));
  EXPECT_THAT(text, HasSubstr("90 us"));
  EXPECT_THAT(text, Not(HasSubstr("regs"))) << "no table of no kernels";
}

TEST(Profile, TheTextIsShortWhateverKernelsAreCalled) {
  std::vector<Activity> kernels;
  for (int i = 0; i < 500; ++i)
    kernels.push_back(kernel(std::string(400, 'k') + std::to_string(i), i * 4, i * 4 + 2));
  const std::string text = profile_text(make_profile(kSubject, input_of({call_of(2000, kernels)})));
  EXPECT_LE(text.size(), kLongestProfileText);
  EXPECT_THAT(text, HasSubstr("and 492 more"));
}

TEST(Profile, OneKernelIsNotCalledKernels) {
  const auto one = input_of({call_of(36, {kernel("relu(float*)", 1, 36)})});
  EXPECT_THAT(profile_text(make_profile(kSubject, one)),
              HasSubstr("; 1 kernel, 0 copies, 0 memsets, 1 stream\n"));
}

TEST(Profile, LaunchAndProfilerAreNamedApartFromIdle) {
  const std::string text = profile_text(
      make_profile(kSubject, input_of({call_of(40, {kernel("k", 2, 10), kernel("k", 18, 36)})})));
  EXPECT_THAT(text, HasSubstr("device    26 us busy, 8 us idle between activities, 6 us launch and "
                              "profiler; 2 kernels"));
  EXPECT_THAT(text, Not(HasSubstr("caution")));
}

TEST(Profile, ASlowLaunchIsACaution) {
  const auto cautions = [](double launching) {
    return make_profile(
               kSubject,
               input_of({call_of(launching + 31, {kernel("k", launching, launching + 31)})}))
        .cautions;
  };
  EXPECT_THAT(cautions(3), IsEmpty());
  EXPECT_THAT(cautions(9), IsEmpty()) << "as short as that in any call";
  EXPECT_THAT(cautions(499),
              ElementsAre(HasSubstr("launch and profiler take 499 us of the call's 530 us")));
}

TEST(Profile, AtMostThreeThingsAreToBeDone) {
  ProfileInput input = input_of({});
  std::vector<Activity> kernels;
  for (int i = 0; i < 20; ++i) {
    kernels.push_back(kernel("k", i * 60, i * 60 + 19));
    kernels.back().grid = {8, 1, 1};
  }
  input.recorded.calls = {call_of(1200, kernels)};
  input.resources = {{.name = "k", .spill_store_bytes = 300}};
  input.instructions = InstructionCounts{.fp64 = 50, .fp32 = 50};
  const Json json = profile_json(make_profile(kSubject, input));
  EXPECT_EQ(json.at("suggestions").size(), 3u);
  EXPECT_EQ(json.at("suggestions")[0].at("verdict"), json.at("verdict"));
}

TEST(Profile, TheTraceHasEachActivityInItsStreamFromZero) {
  Activity copied;
  copied.kind = ActivityKind::kCopy;
  copied.start_ns = 30'000;
  copied.end_ns = 31'500;
  copied.stream = 13;
  copied.bytes = 4096;
  const Json trace =
      profile_trace(make_profile(kSubject, input_of({call_of(40, {kernel("k", 10, 25), copied})})));
  const Json& events = trace.at("traceEvents");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].at("name"), "k");
  EXPECT_EQ(events[0].at("ts"), 0.0);
  EXPECT_EQ(events[0].at("dur"), 15.0);
  EXPECT_EQ(events[0].at("tid"), 7);
  EXPECT_EQ(events[1].at("ts"), 20.0);
  EXPECT_EQ(events[1].at("args").at("bytes"), 4096);
  EXPECT_EQ(events[1].at("ph"), "X");
}

TEST(ProfileAnswer, NamesOneThingToDoInFourKibibytes) {
  std::vector<Activity> kernels;
  for (int i = 0; i < 500; ++i)
    kernels.push_back(kernel(std::string(400, '"') + std::to_string(i), i * 4, i * 4 + 2));
  const Json answer = profile_answer(make_profile(kSubject, input_of({call_of(2000, kernels)})));
  EXPECT_LE(answer.dump().size(), kLongestProfileText);
  EXPECT_EQ(answer.at("verdict"), "launch_bound");
  EXPECT_THAT(answer.at("to_do").get<std::string>(), HasSubstr("fewer launches"));
  EXPECT_THAT(answer.at("text").get<std::string>(), HasSubstr("level1/019_relu"));
}

TEST(ProfileAnswer, WithoutARuleThatHoldsItNamesWhatToLookAt) {
  const Json answer =
      profile_answer(make_profile(kSubject, input_of({call_of(90, {kernel("busy", 0, 90)})})));
  EXPECT_EQ(answer.at("verdict"), "not_judged");
  EXPECT_THAT(answer.at("to_do").get<std::string>(), HasSubstr("look at busy"));
  ProfileInput none = input_of({{90'000, 0, {}}});
  none.recorded.problem = "CUPTI was not found";
  const Json without = profile_answer(make_profile(kSubject, none));
  EXPECT_THAT(without.at("to_do").get<std::string>(), HasSubstr("compare it with a baseline"));
  EXPECT_THAT(without.at("text").get<std::string>(), HasSubstr("CUPTI was not found"));
}

}  // namespace
}  // namespace kbench
