#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/profile/facts.hpp"
#include "tests/unit/profile_fixture.hpp"

namespace kbench {
namespace {

using test::call_of;
using test::input_of;
using test::kernel;

double number(const ProfileInput& input, const std::string& name) {
  const ProfileFacts facts = facts_of(input);
  const auto found = facts.numbers.find(name);
  EXPECT_NE(found, facts.numbers.end()) << name;
  return found == facts.numbers.end() ? -1 : found->second;
}

bool knows(const ProfileInput& input, const std::string& name) {
  return facts_of(input).numbers.contains(name);
}

TEST(ProfileFacts, TheMedianCallIsTheOneThatIsTold) {
  ProfileInput input = input_of({});
  for (const std::int64_t ns : {9'000, 1'000, 5'000, 7'000, 3'000})
    input.recorded.calls.push_back({ns, 0, {}});
  EXPECT_DOUBLE_EQ(number(input, "call_us"), 5);
  input.recorded.calls.push_back({8'000, 0, {}});
  EXPECT_DOUBLE_EQ(number(input, "call_us"), 5) << "the lower one of two";
}

TEST(ProfileFacts, TheCallsHaveASpread) {
  ProfileInput input = input_of({{4'000, 0, {}}, {9'000, 0, {}}, {5'000, 0, {}}});
  input.waited_in_calls = 0.25;
  EXPECT_DOUBLE_EQ(number(input, "fastest_us"), 4);
  EXPECT_DOUBLE_EQ(number(input, "slowest_us"), 9);
  EXPECT_DOUBLE_EQ(number(input, "waited_percent"), 25);
}

TEST(ProfileFacts, ALimitMeasuredInPassingIsNotCalibrated) {
  ProfileInput input = input_of({call_of(36, {})});
  EXPECT_DOUBLE_EQ(number(input, "limit_calibrated"), 1);
  input.limits.reset();
  input.peaks.copy_bytes_per_s = 4e12;
  input.peaks.matmul_flops_per_s = 50e12;
  EXPECT_DOUBLE_EQ(number(input, "limit_calibrated"), 0);
}

TEST(ProfileFacts, WithoutCallsNothingIsKnown) {
  EXPECT_TRUE(facts_of(input_of({})).numbers.empty());
}

TEST(ProfileFacts, GapsAreBetweenActivities) {
  // 20 before, 20..40 and 35..50 overlap, a pause of 60, 110..120, and 80 after.
  const ProfileInput input =
      input_of({call_of(200, {kernel("a", 20, 40), kernel("b", 35, 50), kernel("c", 110, 120)})});
  EXPECT_DOUBLE_EQ(number(input, "busy_us"), 40);
  EXPECT_DOUBLE_EQ(number(input, "gap_us"), 60);
  EXPECT_DOUBLE_EQ(number(input, "gaps"), 1);
  EXPECT_DOUBLE_EQ(number(input, "mean_gap_us"), 60);
  EXPECT_DOUBLE_EQ(number(input, "gap_share"), 0.3);
  EXPECT_DOUBLE_EQ(number(input, "around_us"), 100) << "before the first, and after the last";
  EXPECT_DOUBLE_EQ(number(input, "kernels"), 3);
  EXPECT_DOUBLE_EQ(number(input, "mean_kernel_us"), 15);
}

TEST(ProfileFacts, BesideALongActivityAShortOneEndsInNoGap) {
  // 0..100 on one stream, 10..20 and 60..70 beside it on others, a pause of 20, 120..130.
  const ProfileInput input = input_of({call_of(130, {kernel("long", 0, 100), kernel("a", 10, 20),
                                                     kernel("b", 60, 70), kernel("c", 120, 130)})});
  EXPECT_DOUBLE_EQ(number(input, "busy_us"), 110);
  EXPECT_DOUBLE_EQ(number(input, "gaps"), 1);
  EXPECT_DOUBLE_EQ(number(input, "gap_us"), 20);
  EXPECT_DOUBLE_EQ(number(input, "mean_gap_us"), 20);
}

// Was idle for 3 us in one profile and for 499 us in the next one, of the same kernel: that is how
// long a profiler holds up the launch.
TEST(ProfileFacts, TheDeviceIsNotIdleAroundTheOneKernelOfACall) {
  for (const double launching : {3.0, 499.0}) {
    const ProfileInput input =
        input_of({call_of(launching + 31, {kernel("k", launching - 1, launching + 30)})});
    EXPECT_DOUBLE_EQ(number(input, "busy_us"), 31);
    EXPECT_DOUBLE_EQ(number(input, "gap_us"), 0);
    EXPECT_DOUBLE_EQ(number(input, "gaps"), 0);
    EXPECT_FALSE(knows(input, "mean_gap_us")) << "of no gap";
    EXPECT_DOUBLE_EQ(number(input, "around_us"), launching);
  }
}

// The clocks of the call and of its activities are two.
TEST(ProfileFacts, ActivitiesThatTakeLongerThanTheirCallLeaveNothingAround) {
  EXPECT_DOUBLE_EQ(number(input_of({call_of(30, {kernel("k", 0, 31)})}), "around_us"), 0);
}

TEST(ProfileFacts, TheLimitAndBothOfItsSides) {
  const ProfileInput input = input_of({call_of(100, {kernel("a", 0, 100)})});
  EXPECT_DOUBLE_EQ(number(input, "bytes_us"), 30);
  EXPECT_DOUBLE_EQ(number(input, "products_us"), 10);
  EXPECT_DOUBLE_EQ(number(input, "limit_us"), 30);
  EXPECT_DOUBLE_EQ(number(input, "limit_share"), 0.3);
  EXPECT_DOUBLE_EQ(number(input, "above_limit_us"), 70);
}

TEST(ProfileFacts, AnUncountedTaskHasNoLimitAndNoShareOfIt) {
  ProfileInput input = input_of({call_of(100, {kernel("a", 0, 100)})});
  input.work.uncounted = "nobody counts the work of aten::linalg_inv";
  EXPECT_FALSE(knows(input, "limit_share"));
  EXPECT_EQ(facts_of(input).words.at("limit_basis"), input.work.uncounted);
}

TEST(ProfileFacts, TheTopKernelIsTheOneThatTakesLongestInAll) {
  const ProfileInput input = input_of({call_of(
      100, {kernel("long once", 0, 30), kernel("often", 30, 50), kernel("often", 50, 75)})});
  EXPECT_EQ(facts_of(input).words.at("top_kernel"), "often");
  EXPECT_DOUBLE_EQ(number(input, "top_us"), 45);
}

TEST(ProfileFacts, BlocksForMultiprocessors) {
  Activity few = kernel("few", 0, 100);
  few.grid = {11, 1, 1};
  const ProfileInput input = input_of({call_of(100, {few})});
  EXPECT_DOUBLE_EQ(number(input, "top_blocks_per_sm"), 11.0 / 132);
  EXPECT_DOUBLE_EQ(number(input, "idle_sm_us"), 100 * (1 - 11.0 / 132));
}

// 255 registers of 256 threads: one block of the 2,048 threads.
TEST(ProfileFacts, ThreadsOfAMultiprocessorByRegistersAndSharedMemory) {
  Activity heavy = kernel("heavy", 0, 100);
  heavy.registers = 255;
  EXPECT_DOUBLE_EQ(number(input_of({call_of(100, {heavy})}), "top_thread_share"), 256.0 / 2048);
  Activity shared = kernel("shared", 0, 100);
  shared.dynamic_shared_bytes = 200 << 10;
  EXPECT_DOUBLE_EQ(number(input_of({call_of(100, {shared})}), "top_thread_share"), 256.0 / 2048);
  EXPECT_DOUBLE_EQ(number(input_of({call_of(100, {kernel("light", 0, 100)})}), "top_thread_share"),
                   1);
}

TEST(ProfileFacts, SpillsAreThoseOfTheKernelWithMost) {
  ProfileInput input = input_of({call_of(100, {kernel("a", 0, 100)})});
  EXPECT_FALSE(knows(input, "spill_bytes")) << "nothing was compiled, so nobody knows";
  input.resources = {{.name = "fine"},
                     {.name = "bad", .spill_store_bytes = 80, .spill_load_bytes = 100}};
  EXPECT_DOUBLE_EQ(number(input, "spill_bytes"), 180);
  EXPECT_EQ(facts_of(input).words.at("spill_kernel"), "bad");
}

// Asynchronous copies move sectors, and their bytes are not counted.
TEST(ProfileFacts, WhatIsAskedForByInstructionsThatAreNotCountedIsNotKnown) {
  ProfileInput input = input_of({call_of(100, {kernel("a", 0, 100)})});
  input.recorded.counters = {
      {{"load_sectors", 1000}, {"load_bytes_of_sector", 4}, {"store_sectors", 0}}};
  EXPECT_DOUBLE_EQ(number(input, "sector_use_percent"), 12.5);
  input.recorded.counters.front()["load_bytes_of_sector"] = 0;
  EXPECT_FALSE(knows(input, "sector_use_percent"));
}

TEST(ProfileFacts, TensorCoresAreForWhatTheClassLetsThemHave) {
  ProfileInput input = input_of({call_of(100, {kernel("a", 0, 100)})});
  input.precision = "fp32";
  EXPECT_FALSE(knows(input, "tensor_products_us"));
  input.precision = "tf32";
  input.work.least_products /= 4;  // as by Winograd's algorithm, which a direct kernel does not use
  EXPECT_DOUBLE_EQ(number(input, "scalar_products_us"), 10);
  EXPECT_DOUBLE_EQ(number(input, "tensor_products_us"), 1);
  input.precision = "torch-default";
  EXPECT_DOUBLE_EQ(number(input, "tensor_products_us"), 0) << "no convolution is in it";
}

}  // namespace
}  // namespace kbench
