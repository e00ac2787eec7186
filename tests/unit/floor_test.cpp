#include "runner/measure/floor.hpp"

#include <gtest/gtest.h>

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

// Was suspect: a product of triangular matrices that leaves the zeros out takes a sixth of the
// whole.
TEST(Floor, RandomNumbersOfWhichHalfIsKeptAreTriangularToo) {
  TaskSize size = relu();
  size.flops = 1e6;
  size.inputs.front().draw.keep = Draw::Keep::kUpper;
  EXPECT_DOUBLE_EQ(floor_ns(size, kPeaks, 0), 0.25e6 / 4);
  size.flops = 0;
  EXPECT_DOUBLE_EQ(floor_ns(size, kPeaks, 0), 0.8 * 6000);
}

TEST(Floor, MultiplicationsThatAlgebraMayLeaveOutAreNotCounted) {
  TaskSize size = relu();
  size.flops = 1e6;
  size.flops_avoidable = true;
  EXPECT_DOUBLE_EQ(floor_ns(size, kPeaks, 0), 0.8 * 8000) << "its traffic is";
}

TEST(Floor, UnknownPeaksGiveNone) { EXPECT_EQ(floor_ns(relu(), {}, 0), 0); }

}  // namespace
}  // namespace kbench
