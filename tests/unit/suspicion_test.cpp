#include "runner/measure/suspicion.hpp"

#include <gtest/gtest.h>

#include "runner/core/speedup.hpp"

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
