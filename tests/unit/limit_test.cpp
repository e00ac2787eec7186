#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/measure/task_limit.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const DevicePeaks kMeasured{.copy_bytes_per_s = 1e9, .matmul_flops_per_s = 1e9};

Work work() {
  return {.read_bytes = 6000,
          .written_bytes = 4000,
          .unfused_bytes = 30000,
          .products = 1000,
          .needed_products = 1000,
          .least_products = 1000};
}

DeviceLimits calibrated() {
  DeviceLimits limits;
  limits.copy.value = 1e9;
  limits.read.value = 2e9;
  limits.products["fp32"].value = 0.01e9;
  limits.measured_at = "2026-11-28T12:00:00Z";
  return limits;
}

TEST(Limit, IsTheLongerOfBytesAndProducts) {
  const TaskLimit limit = limit_of(work(), "fp32", kMeasured, std::nullopt, 0);
  EXPECT_DOUBLE_EQ(*limit.ns, 10000);
  EXPECT_DOUBLE_EQ(*limit.unfused_ns, 30000);
  EXPECT_EQ(limit.basis, "bytes, measured beside it");
}

TEST(Limit, IsByTheCalibrationWhereThereIsOneOfTheClass) {
  const TaskLimit limit = limit_of(work(), "fp32", kMeasured, calibrated(), 0);
  EXPECT_DOUBLE_EQ(*limit.ns, 1000 / 0.01);
  EXPECT_EQ(limit.basis, "products, calibrated 2026-11-28T12:00:00Z");
  EXPECT_THAT(limit_of(work(), "bf16", kMeasured, calibrated(), 0).basis, HasSubstr("beside it"));
}

// Was the higher peak for all products: the limit of a matmul was up to nine times too short.
TEST(Limit, ByDefaultConvolutionsMayBeTf32AndProductsOfMatricesNot) {
  DeviceLimits limits = calibrated();
  limits.products["tf32"].value = 0.1e9;
  Work mixed = work();
  EXPECT_DOUBLE_EQ(*limit_of(mixed, "torch-default", kMeasured, limits, 0).ns, 1000 / 0.01);
  mixed.least_tf32_products = 600;
  EXPECT_DOUBLE_EQ(*limit_of(mixed, "torch-default", kMeasured, limits, 0).ns,
                   400 / 0.01 + 600 / 0.1);
  EXPECT_DOUBLE_EQ(*limit_of(mixed, "fp32", kMeasured, limits, 0).ns, 1000 / 0.01);
  EXPECT_DOUBLE_EQ(*limit_of(mixed, "tf32", kMeasured, limits, 0).ns, 1000 / 0.1);
  limits.products.erase("tf32");
  EXPECT_DOUBLE_EQ(*limit_of(mixed, "torch-default", kMeasured, limits, 0).ns, 1000 / 0.01);
}

TEST(Limit, TellsBothOfItsSides) {
  const TaskLimit limit = limit_of(work(), "fp32", kMeasured, calibrated(), 0);
  EXPECT_DOUBLE_EQ(limit.bytes_ns, 6000 / 2.0 + 4000 / 1.0);
  EXPECT_DOUBLE_EQ(limit.products_ns, 100000);
}

// Was divided by the highest of the three: on an H200 writing is 9 % faster than reading, and a
// task that only reads had a limit that nobody can reach.
TEST(Limit, WhatIsReadTakesTheRateOfReadingAndWhatIsWrittenThatOfWriting) {
  DeviceLimits limits = calibrated();
  limits.write.value = 4e9;
  Work bytes = work();
  bytes.least_products = 0;
  const TaskLimit limit = limit_of(bytes, "fp32", kMeasured, limits, 0);
  EXPECT_DOUBLE_EQ(*limit.ns, 6000 / 2.0 + 4000 / 4.0);
  EXPECT_DOUBLE_EQ(limit.read_bytes_per_s, 2e9);
  EXPECT_DOUBLE_EQ(limit.written_bytes_per_s, 4e9);
  limits.copy.value = 5e9;
  EXPECT_DOUBLE_EQ(*limit_of(bytes, "fp32", kMeasured, limits, 0).ns, 10000 / 5.0)
      << "a copy may be faster than either";
}

TEST(Limit, WhatIsWrittenMayStayInTheCache) {
  EXPECT_DOUBLE_EQ(*limit_of(work(), "fp32", kMeasured, std::nullopt, 1 << 20).ns, 6000);
}

TEST(Limit, OfAnUncountedTaskThereIsNoneAndAReason) {
  Work uncounted = work();
  uncounted.uncounted = "nobody counts the work of aten::linalg_inv";
  const TaskLimit limit = limit_of(uncounted, "fp32", kMeasured, calibrated(), 0);
  EXPECT_FALSE(limit.ns);
  EXPECT_THAT(limit.basis, StartsWith("nobody counts"));
}

TEST(Limit, WithoutPeaksThereIsNone) {
  const TaskLimit limit = limit_of(work(), "fp32", {}, std::nullopt, 0);
  EXPECT_FALSE(limit.ns);
  EXPECT_NE(limit.basis, "");
}

}  // namespace
}  // namespace kbench
