#include <gtest/gtest.h>

#include "runner/measure/task_limit.hpp"

namespace kbench {
namespace {

// 1 GB/s and 1 GFLOP/s: a byte and an operation take a nanosecond each.
const DevicePeaks kPeaks{.copy_bytes_per_s = 1e9, .matmul_flops_per_s = 1e9};

// A thousand floats are read, and as many are written.
Work relu() { return {.read_bytes = 4000, .written_bytes = 4000}; }

TEST(Floor, TrafficOverBandwidth) { EXPECT_DOUBLE_EQ(floor_ns(relu(), kPeaks, 0), 0.8 * 8000); }

TEST(Floor, WhatTheCacheMayKeepIsNotCounted) {
  EXPECT_DOUBLE_EQ(floor_ns(relu(), kPeaks, 1000), 0.8 * 8000 - 1000);
  EXPECT_DOUBLE_EQ(floor_ns(relu(), kPeaks, 1 << 20), 0);
}

TEST(Floor, MultiplicationsOverPeak) {
  Work work = relu();
  work.products = work.needed_products = 1e6;
  EXPECT_DOUBLE_EQ(floor_ns(work, kPeaks, 0), 0.25e6);
}

// Was suspect: a product of triangular matrices that leaves the zeros out takes a sixth of the
// whole.
TEST(Floor, OfTrianglesASixteenthIsAsked) {
  Work work = relu();
  work.products = 1e6;
  work.needed_products = 1e6 / 6;
  work.triangular = true;
  EXPECT_DOUBLE_EQ(floor_ns(work, kPeaks, 0), 0.25e6 / 4);
}

TEST(Floor, MultiplicationsThatAlgebraMayLeaveOutAreNotCounted) {
  Work work = relu();
  work.products = 1e6;
  EXPECT_DOUBLE_EQ(floor_ns(work, kPeaks, 0), 0.8 * 8000) << "its traffic is";
}

// Was: a kernel that sums a weight's columns in kbench_prepare was `suspect`: its calls read the
// sums alone, in less than the weight takes (level2/014 on an H200: 16 us, and the floor was 37).
TEST(Floor, ParametersOfSuchAProductNeedNotBeRead) {
  Work work = relu();
  work.read_bytes += 1e6;
  work.parameter_bytes = 1e6;
  EXPECT_DOUBLE_EQ(floor_ns(work, kPeaks, 0), 0.8 * 1'008'000) << "without a product they are";
  work.products = work.needed_products = 1;
  EXPECT_DOUBLE_EQ(floor_ns(work, kPeaks, 0), 0.8 * 1'008'000) << "each product is needed";
  work.needed_products = 0;
  EXPECT_DOUBLE_EQ(floor_ns(work, kPeaks, 0), 0.8 * 8000);
}

TEST(Floor, UnknownPeaksGiveNone) { EXPECT_EQ(floor_ns(relu(), {}, 0), 0); }

// A card that was throttled when it was calibrated accuses nobody, nor does one that is busy now.
TEST(Floor, TheHighestPeakKnownCounts) {
  DeviceLimits calibrated;
  calibrated.read.value = 2e9;
  calibrated.products["fp32"].value = 0.5e9;
  DeviceSheet sheet{
      .name = "one", .matches = {"one"}, .bytes_per_s = 1.5e9, .products = {{"bf16", 8e9}}};
  const DevicePeaks highest = highest_peaks(kPeaks, calibrated, &sheet);
  EXPECT_EQ(highest.copy_bytes_per_s, 2e9);
  EXPECT_EQ(highest.matmul_flops_per_s, 8e9);
  EXPECT_EQ(highest_peaks(kPeaks, std::nullopt, nullptr).copy_bytes_per_s, 1e9);
  EXPECT_EQ(highest_peaks({}, calibrated, &sheet).copy_bytes_per_s, 0) << "no floor stays none";
}

}  // namespace
}  // namespace kbench
