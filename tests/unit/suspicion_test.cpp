#include "runner/measure/suspicion.hpp"

#include <tuple>

#include <gtest/gtest.h>

#include "runner/analysis/speedup.hpp"

namespace kbench {
namespace {

Evaluation timed(double eager_ns, double submission_ns) {
  Evaluation evaluation;
  evaluation.state = State::kOk;
  evaluation.device = "cuda";
  evaluation.wall_seconds = 2;
  evaluation.attempts = {{.reason = "first", .seed = "1", .state = State::kOk}};
  for (int block = 0; block < 10; ++block) {
    for (const auto& [side, ns] :
         {std::pair{Side::kEager, eager_ns}, {Side::kSubmission, submission_ns}}) {
      evaluation.samples.push_back({.placement = block,
                                    .block = block,
                                    .side = side,
                                    .time_ns = static_cast<std::int64_t>(ns)});
    }
  }
  return evaluation;
}

TEST(Repeat, OrdinarySpeedupsAreBelieved) {
  EXPECT_EQ(reason_to_repeat(timed(9e6, 1e6)), "");
  EXPECT_NE(reason_to_repeat(timed(11e6, 1e6)), "");
}

TEST(Repeat, WhereACompilerIsAsFastNothingIsOdd) {
  Evaluation evaluation = timed(26e6, 1e6);
  for (int block = 0; block < 10; ++block)
    evaluation.samples.push_back(
        {.placement = block, .block = block, .side = Side::kCompiled, .time_ns = 1'000'000});
  EXPECT_EQ(reason_to_repeat(evaluation), "");
  for (Sample& sample : evaluation.samples)
    if (sample.side == Side::kCompiled) sample.time_ns = 11'000'000;
  EXPECT_NE(reason_to_repeat(evaluation), "");
}

TEST(Repeat, BelowTheFloorIsNotBelieved) {
  Evaluation evaluation = timed(2e6, 1e6);
  evaluation.floor_ns = 0.9e6;
  EXPECT_EQ(reason_to_repeat(evaluation), "");
  evaluation.floor_ns = 1.1e6;
  EXPECT_NE(reason_to_repeat(evaluation), "");
}

// Peaks are measured before, perhaps while somebody else had the memory bus.
TEST(Repeat, WhatABaselineDidBesideItCanBeDone) {
  Evaluation evaluation = timed(1e6, 0.9e6);
  evaluation.floor_ns = 1.1e6;
  EXPECT_EQ(reason_to_repeat(evaluation), "");
  evaluation = timed(1e6, 0.7e6);
  evaluation.floor_ns = 1.1e6;
  EXPECT_EQ(reason_to_repeat(evaluation),
            "0.7000 ms a call, and the device needs at least 0.8000 ms");
}

TEST(Repeat, FailuresAreNotRepeated) {
  Evaluation evaluation = timed(90e6, 1e6);
  evaluation.state = State::kWrongResult;
  EXPECT_EQ(reason_to_repeat(evaluation), "");
}

TEST(Settle, TwoThatAgreeAreOkAndAllSamplesCount) {
  const Evaluation result = settle(timed(20e6, 1.0e6), timed(20e6, 1.1e6), "why");
  EXPECT_EQ(result.state, State::kOk);
  EXPECT_EQ(result.repeats, 1);
  EXPECT_EQ(result.wall_seconds, 4);
  EXPECT_EQ(result.samples.size(), 40u);
  EXPECT_EQ(result.samples.back().block, 19);
  EXPECT_EQ(result.samples.back().placement, 19);
  EXPECT_EQ(speedup(result.samples, Side::kEager, Side::kSubmission, 0)->units, 20);
}

// All others follow from it, so that the row can be repeated.
TEST(Settle, TheSeedIsTheFirstMeasurements) {
  Evaluation first = timed(20e6, 1.0e6);
  Evaluation again = timed(20e6, 1.1e6);
  first.seed = "first";
  again.seed = "again";
  EXPECT_EQ(settle(first, again, "why").seed, "first");
  EXPECT_EQ(settle(first, again, again, "why").seed, "first");
  EXPECT_EQ(confirm(first, again).seed, "first");
}

std::vector<bool> counting(const Evaluation& evaluation) {
  std::vector<bool> counts;
  for (const Attempt& attempt : evaluation.attempts) counts.push_back(attempt.counts);
  return counts;
}

TEST(Settle, BothAttemptsStayAndBothCount) {
  Evaluation second = timed(20e6, 1.1e6);
  second.attempts[0].seed = "2";
  second.blocks = {{.block = 3}};
  const Evaluation result = settle(timed(20e6, 1.0e6), second, "why");
  EXPECT_EQ(counting(result), (std::vector<bool>{true, true}));
  EXPECT_EQ(result.attempts[1].seed, "2");
  EXPECT_EQ(result.samples.front().attempt, 0);
  EXPECT_EQ(result.samples.back().attempt, 1);
  EXPECT_EQ(result.blocks[0].attempt, 1);
  EXPECT_EQ(result.blocks[0].block, 13) << "as its samples are numbered";
  EXPECT_TRUE(result.set_aside.empty());
}

// Three measurements, of so many milliseconds each, the first two of which disagree.
Evaluation of_three(double first, double second, double third) {
  EXPECT_TRUE(disagree(timed(20e6, first * 1e6), timed(20e6, second * 1e6)));
  return settle(timed(20e6, first * 1e6), timed(20e6, second * 1e6), timed(20e6, third * 1e6),
                "why");
}

TEST(Settle, OfThreeTheTwoThatAgreeCountAndTheOtherIsKept) {
  for (const auto& [first, second, third, counts] :
       {std::tuple{1.0, 1.5, 1.4, std::vector<bool>{false, true, true}},
        {1.5, 1.0, 1.4, std::vector<bool>{true, false, true}},
        {1.5, 1.0, 1.1, std::vector<bool>{false, true, true}}}) {
    const Evaluation result = of_three(first, second, third);
    EXPECT_EQ(result.state, State::kOk) << result.message;
    EXPECT_EQ(result.labels, "unstable");
    EXPECT_EQ(counting(result), counts);
    EXPECT_EQ(result.repeats, 2);
    EXPECT_EQ(result.wall_seconds, 6);
    EXPECT_EQ(result.samples.size(), 40u);
    EXPECT_EQ(result.samples.back().attempt, 2);
    EXPECT_EQ(result.samples.back().block, 19);
    EXPECT_EQ(result.set_aside.size(), 20u);
  }
}

TEST(Settle, OfThreeThatAllDisagreeTheSlowestCounts) {
  for (const auto& [first, second, third, counts] :
       {std::tuple{1.0, 1.5, 2.5, std::vector<bool>{false, false, true}},
        {2.5, 1.0, 1.5, std::vector<bool>{true, false, false}},
        {1.0, 2.5, 1.5, std::vector<bool>{false, true, false}}}) {
    const Evaluation result = of_three(first, second, third);
    EXPECT_EQ(result.state, State::kOk) << "nobody is accused of that";
    EXPECT_EQ(result.labels, "unstable");
    EXPECT_EQ(counting(result), counts);
    EXPECT_EQ(result.samples.back().time_ns, 2'500'000);
    EXPECT_EQ(result.set_aside.size(), 40u);
  }
}

TEST(Settle, AThirdThatFailsCounts) {
  Evaluation failed = timed(20e6, 1e6);
  failed.state = State::kWrongResult;
  failed.message = "wrong";
  const Evaluation result = settle(timed(20e6, 1e6), timed(20e6, 1.5e6), failed, "why");
  EXPECT_EQ(result.state, State::kWrongResult);
  EXPECT_EQ(result.message, "measured again because of why: wrong");
  EXPECT_EQ(counting(result), (std::vector<bool>{false, false, true}));
}

TEST(Settle, TwoOfThreeBelowTheFloorAreSuspect) {
  Evaluation first = timed(20e6, 1e6), second = timed(20e6, 2e6), third = timed(20e6, 1e6);
  for (Evaluation* evaluation : {&first, &second, &third}) evaluation->floor_ns = 1.5e6;
  ASSERT_TRUE(disagree(first, second));
  const Evaluation result = settle(first, second, third, "why");
  EXPECT_EQ(result.state, State::kSuspect);
  EXPECT_NE(result.message.find("twice faster than can be"), std::string::npos) << result.message;
}

TEST(Confirm, WhatTheFirstMeasurementSaidIsKept) {
  Evaluation first = timed(20e6, 1e6);
  first.state = first.attempts[0].state = State::kTimingInconsistent;
  Evaluation second = timed(20e6, 2e6);
  second.alone = {{.block = kAlone, .time_ns = 7}};
  const Evaluation result = confirm(first, second);
  EXPECT_EQ(result.state, State::kOk);
  EXPECT_EQ(counting(result), (std::vector<bool>{false, true}));
  EXPECT_EQ(result.attempts[0].state, State::kTimingInconsistent);
  EXPECT_EQ(result.samples.back().time_ns, 2'000'000);
  EXPECT_EQ(result.alone[0].attempt, 1);
  EXPECT_EQ(result.set_aside.size(), 20u);
}

TEST(Settle, BelowTheFloorOnceAndNearlySoIsTakenAsItIs) {
  Evaluation first = timed(20e6, 0.95e6);
  Evaluation second = timed(20e6, 1.05e6);
  first.floor_ns = second.floor_ns = 1e6;
  EXPECT_EQ(settle(first, second, "why").state, State::kOk);
  second = first;
  EXPECT_EQ(settle(first, second, "why").state, State::kSuspect);
}

TEST(Settle, AMachineThatBecameSlowerMeanwhileIsNoDisagreement) {
  EXPECT_FALSE(disagree(timed(20e6, 1e6), timed(30e6, 1.5e6)));
  EXPECT_TRUE(disagree(timed(20e6, 1e6), timed(15e6, 1.5e6)));
}

Evaluation on_cpu(double submission_ns, bool busy = false) {
  Evaluation evaluation = timed(20e6, submission_ns);
  evaluation.device = "cpu";
  evaluation.null_call_ns = 30'000;
  for (int block = 0; block < 10; ++block)
    evaluation.blocks.push_back({.block = block, .strangers = busy ? 2 : 0});
  return evaluation;
}

TEST(Settle, OnACpuShortCallsMayDifferByAsMuchAsAnEmptyOneTakes) {
  const Evaluation result = settle(on_cpu(8'000), on_cpu(20'000), "why");
  EXPECT_EQ(result.state, State::kOk) << result.message;
  EXPECT_EQ(counting(result), (std::vector<bool>{false, true})) << "the slower one counts";
  EXPECT_FALSE(disagree(on_cpu(8'000), on_cpu(20'000)));
  EXPECT_TRUE(disagree(on_cpu(20'000), on_cpu(60'000)));
}

TEST(Settle, WhatABusyMachineMadeOfItAccusesNobody) {
  const Evaluation quiet_first = settle(on_cpu(1e6), on_cpu(9e6, true), "why");
  EXPECT_FALSE(disagree(on_cpu(1e6), on_cpu(9e6, true)));
  EXPECT_EQ(quiet_first.state, State::kOk) << quiet_first.message;
  EXPECT_EQ(counting(quiet_first), (std::vector<bool>{true, false}));
  const Evaluation quiet_second = settle(on_cpu(9e6, true), on_cpu(1e6), "why");
  EXPECT_EQ(counting(quiet_second), (std::vector<bool>{false, true}));
  EXPECT_NE(doubts_of(settle(on_cpu(1e6, true), on_cpu(9e6, true), "why")).words().find("busy"),
            std::string::npos);
}

TEST(Settle, BelowTheFloorInAQuietMeasurementIsSuspectWhateverTheOtherSaw) {
  for (const bool first_is_busy : {true, false}) {
    Evaluation first = on_cpu(1e6, first_is_busy);
    Evaluation second = on_cpu(1e6, !first_is_busy);
    first.floor_ns = second.floor_ns = 2e6;
    EXPECT_EQ(settle(first, second, "why").state, State::kSuspect);
  }
}

// A disturbed measurement accuses nobody, and excuses nobody.
TEST(Settle, BesideOtherProgramsTheQuietMeasurementIsHeldAgainstTheFloor) {
  for (const bool quiet_is_below : {true, false}) {
    Evaluation busy = on_cpu(quiet_is_below ? 3e6 : 1e6, true);
    Evaluation quiet = on_cpu(quiet_is_below ? 1e6 : 3e6);
    busy.floor_ns = quiet.floor_ns = 2e6;
    const State expected = quiet_is_below ? State::kSuspect : State::kOk;
    EXPECT_EQ(settle(busy, quiet, "why").state, expected) << quiet_is_below;
    EXPECT_EQ(settle(quiet, busy, "why").state, expected) << quiet_is_below;
  }
}

TEST(Settle, AFailureOfTheSecondCounts) {
  Evaluation failed = timed(20e6, 1e6);
  failed.state = State::kDeviceNotIdle;
  failed.message = "it ran on";
  const Evaluation result = settle(timed(20e6, 1e6), failed, "20 times");
  EXPECT_EQ(result.state, State::kDeviceNotIdle);
  EXPECT_NE(result.message.find("it ran on"), std::string::npos);
}

TEST(Settle, OfTwoOnCudaTheQuietOneCountsAndLosesTheLabel) {
  Evaluation busy = timed(20e6, 9e6);
  busy.labels = "uses_torch busy_machine";
  const Evaluation quiet = timed(20e6, 1e6);
  const Evaluation quiet_first = settle(quiet, busy, "why");
  EXPECT_EQ(quiet_first.labels, "uses_torch");
  EXPECT_DOUBLE_EQ(median_time_ns(quiet_first.samples, Side::kSubmission).value_or(0), 1e6);
  const Evaluation quiet_second = settle(busy, quiet, "why");
  EXPECT_EQ(quiet_second.labels, "");
  EXPECT_DOUBLE_EQ(median_time_ns(quiet_second.samples, Side::kSubmission).value_or(0), 1e6);
  EXPECT_EQ(settle(busy, busy, "why").labels, busy.labels);
}

}  // namespace
}  // namespace kbench
