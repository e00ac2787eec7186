#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/device/calibrated_limits.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const DeviceSheet kSheet{.name = "one",
                         .matches = {"one"},
                         .bytes_per_s = 1e12,
                         .products = {{"fp32", 1e13}, {"bf16", 1e14}},
                         .source = "the data sheet"};

DeviceLimits limits(double copy, double fp32) {
  DeviceLimits one;
  one.copy.value = copy;
  one.products["fp32"].value = fp32;
  one.products["fp64"].value = 1;  // the sheet says nothing of it
  one.measured_at = "2026-11-28T12:00:00Z";
  return one;
}

TEST(DeviceLimits, NearTheDataSheetNothingIsSaid) {
  EXPECT_THAT(cautions_of(limits(0.9e12, 0.8e13), &kSheet), IsEmpty());
}

TEST(DeviceLimits, FarBelowOrAboveTheDataSheetIsACaution) {
  EXPECT_THAT(cautions_of(limits(0.6e12, 1.2e13), &kSheet),
              ElementsAre("bandwidth is 60 % of what the data sheet states",
                          "fp32 products is 120 % of what the data sheet states"));
}

TEST(DeviceLimits, RoundsThatDifferAreACaution) {
  DeviceLimits restless = limits(0.9e12, 0.8e13);
  restless.copy.spread = 0.25;
  restless.products["fp32"].spread = 0.14;
  EXPECT_THAT(cautions_of(restless, nullptr),
              ElementsAre(HasSubstr("bandwidth differed by 25 % between rounds")));
  EXPECT_THAT(cautions_of(limits(1, 1), nullptr), IsEmpty()) << "and nobody states anything";
}

TEST(DeviceLimits, APromptHearsTheLeastTimeOfItsTask) {
  const Work work{.read_bytes = 6e8, .written_bytes = 4e8, .products = 2e9, .least_products = 2e9};
  const auto facts = describe_limits(limits(1e12, 1e13), work, 0);
  EXPECT_THAT(facts.front(), Pair("memory bandwidth, measured", "1000 GB/s"));
  EXPECT_THAT(facts.back().second,
              HasSubstr("1 ms, bound by its bytes: 1000 MB have to move, 2 Gflop of products"));
  EXPECT_THAT(describe_limits(limits(1e12, 1e13), work, 1 << 30).back().second,
              HasSubstr("0.6 ms, bound by its bytes"));
  Work uncounted = work;
  uncounted.uncounted = "nobody counts the work of aten::linalg_inv";
  EXPECT_THAT(describe_limits(limits(1e12, 1e13), uncounted, 0).back().second,
              HasSubstr("not known: nobody counts"));
}

}  // namespace
}  // namespace kbench
