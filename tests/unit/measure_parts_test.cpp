// The small pure parts of runner/measure: keys, order of sides, throttled blocks.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "runner/measure/block_filter.hpp"
#include "runner/measure/secret.hpp"
#include "runner/measure/side_order.hpp"

namespace kbench {
namespace {

TEST(Secret, SeedsAndIdsAreFreshAndLongEnough) {
  EXPECT_EQ(random_seed().size(), 64u);
  EXPECT_EQ(random_id().size(), 32u);
  EXPECT_NE(random_seed(), random_seed());
}

TEST(Secret, KeysDependOnSeedPurposeAndIndexOnly) {
  const KeySchedule one("a");
  EXPECT_EQ(one.key("input", 3), KeySchedule("a").key("input", 3));
  EXPECT_NE(one.key("input", 3), one.key("input", 4));
  EXPECT_NE(one.key("input", 3), one.key("order", 3));
  EXPECT_NE(one.key("input", 3), KeySchedule("b").key("input", 3));
}

TEST(SideOrder, AllSixOrdersOfThreeSidesAppearAboutEquallyOften) {
  const std::vector<Side> sides{Side::kEager, Side::kCompiled, Side::kSubmission};
  const KeySchedule keys("seed");
  std::map<std::vector<Side>, int> counts;
  for (std::uint64_t i = 0; i < 6000; ++i) ++counts[shuffled(sides, keys.key("order", i))];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(BlockFilter, DropsThrottledAndMovingBlocks) {
  std::vector<Sample> samples;
  for (int block = 0; block < 4; ++block) samples.push_back({.block = block});
  drop_throttled_blocks(samples, {{0, 1980, 1980}, {1, 1980, 1900}, {2, 1400, 1400}, {3, 0, 0}});
  EXPECT_FALSE(samples[0].dropped);
  EXPECT_TRUE(samples[1].dropped);
  EXPECT_TRUE(samples[2].dropped);
  EXPECT_FALSE(samples[3].dropped) << "an unknown clock drops nothing";
  EXPECT_EQ(samples[0].sm_clock_khz, 1980);
}

}  // namespace
}  // namespace kbench
