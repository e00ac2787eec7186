#include "runner/run/lane_examination.hpp"

#include <gmock/gmock.h>

#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

GpuInfo numbered(int index) {
  GpuInfo gpu;
  gpu.index = index;
  return gpu;
}

TEST(LaneExamination, SaysWhichCoresEachLaneHas) {
  const TemporaryFolder nothing;  // every core is alone
  const auto found =
      find_lanes({numbered(0), numbered(1)}, {0, 1, 2, 3, 5, 6, 7, 8, 10, 11}, nothing.path());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->check, "lanes");
  EXPECT_EQ(found->health, Health::kPass);
  EXPECT_EQ(found->text,
            "2 for 2 GPUs; cuda:0 on cores 0-3; cuda:1 on cores 5-8; left for compilers: 10-11");
}

TEST(LaneExamination, CautionsWhereGpusGetNone) {
  const TemporaryFolder nothing;
  const auto found = find_lanes({numbered(0), numbered(1)}, {0, 1, 2, 3}, nothing.path());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->health, Health::kCaution);
  EXPECT_EQ(found->text, "1 for 2 GPUs; cuda:0 on cores 0-3; left for compilers: none");
  EXPECT_THAT(found->remedy, ::testing::HasSubstr("3 physical cores"));
}

TEST(LaneExamination, OneGpuHasNoPartition) {
  EXPECT_FALSE(find_lanes({numbered(0)}, {0, 1, 2, 3}));
  EXPECT_FALSE(find_lanes({}, {0, 1}));
}

}  // namespace
}  // namespace kbench::test
