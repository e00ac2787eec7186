#include "runner/measure/suspicion.hpp"

#include <gtest/gtest.h>

#include "runner/analysis/speedup.hpp"

namespace kbench {
namespace {

// 1 GB/s and 1 GFLOP/s: a byte and an operation take a nanosecond each.
const DevicePeaks kPeaks{.copy_bytes_per_s = 1e9, .matmul_flops_per_s = 1e9};

TaskSize relu() {
  TaskSize size;
  size.inputs = {{.name = "x", .shape = {1000}}};
  size.outputs = {{.name = "y", .shape = {1000}}};
  return size;
}

TEST(Floor, TrafficOverBandwidth) { EXPECT_DOUBLE_EQ(floor_ns(relu(), kPeaks, 0), 0.8 * 8000); }

TEST(Floor, WhatTheCacheMayKeepIsNotCounted) {
  EXPECT_DOUBLE_EQ(floor_ns(relu(), kPeaks, 1000), 0.8 * 8000 - 1000);
  EXPECT_DOUBLE_EQ(floor_ns(relu(), kPeaks, 1 << 20), 0);
}

TEST(Floor, ParametersAreReadToo) {
  TaskSize size = relu();
  size.parameters = {{.name = "w", .shape = {500}}};
  EXPECT_DOUBLE_EQ(floor_ns(size, kPeaks, 0), 0.8 * 10'000);
}

TEST(Floor, WhereInputsAreIndicesOnlyOutputsCount) {
  TaskSize size = relu();
  size.inputs.push_back({.name = "index", .dtype = DType::kInt64, .shape = {1000}});
  EXPECT_DOUBLE_EQ(floor_ns(size, kPeaks, 0), 0.8 * 4000);
}

TEST(Floor, MultiplicationsOverPeak) {
  TaskSize size = relu();
  size.flops = 1e6;
  EXPECT_DOUBLE_EQ(floor_ns(size, kPeaks, 0), 0.25e6);
  size.inputs.front().draw.kind = Draw::Kind::kTril;
  EXPECT_DOUBLE_EQ(floor_ns(size, kPeaks, 0), 0.25e6 / 4);
}

TEST(Floor, UnknownPeaksGiveNone) { EXPECT_EQ(floor_ns(relu(), {}, 0), 0); }

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

TEST(Repeat, BelowTheFloorIsNotBelieved) {
  Evaluation evaluation = timed(2e6, 1e6);
  evaluation.floor_ns = 0.9e6;
  EXPECT_EQ(reason_to_repeat(evaluation), "");
  evaluation.floor_ns = 1.1e6;
  EXPECT_NE(reason_to_repeat(evaluation), "");
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

TEST(Settle, OfTwoThatDisagreeTheSlowerCountsAndTheOtherIsKept) {
  for (const bool first_is_slower : {true, false}) {
    const Evaluation result = settle(timed(20e6, first_is_slower ? 1.5e6 : 1e6),
                                     timed(20e6, first_is_slower ? 1e6 : 1.5e6), "why");
    EXPECT_EQ(counting(result), (std::vector<bool>{first_is_slower, !first_is_slower}));
    EXPECT_EQ(result.samples.size(), 20u);
    EXPECT_EQ(result.samples.back().attempt, first_is_slower ? 0 : 1);
    EXPECT_EQ(result.samples.back().time_ns, 1'500'000);
    EXPECT_EQ(result.set_aside.size(), 20u);
  }
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

TEST(Settle, TwoThatDisagreeAreSuspect) {
  EXPECT_EQ(settle(timed(20e6, 1e6), timed(20e6, 1.5e6), "why").state, State::kSuspect);
}

TEST(Settle, AFailureOfTheSecondCounts) {
  Evaluation failed = timed(20e6, 1e6);
  failed.state = State::kDeviceNotIdle;
  failed.message = "it ran on";
  const Evaluation result = settle(timed(20e6, 1e6), failed, "20 times");
  EXPECT_EQ(result.state, State::kDeviceNotIdle);
  EXPECT_NE(result.message.find("it ran on"), std::string::npos);
}

}  // namespace
}  // namespace kbench
