#include "runner/plan/core_share.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "tests/unit/temporary_folder.hpp"

namespace kbench {
namespace {

PhysicalCores two_threads_each(int cores) {
  PhysicalCores all;
  for (int i = 0; i < cores; ++i) all.push_back({i, i + cores});
  return all;
}

TEST(CoreShare, OneGpuHasAllCores) {
  EXPECT_EQ(core_share({{0}, {1}, {2}}, 0, 1), (std::vector<int>{0, 1, 2}));
}

TEST(CoreShare, TwoGpusHaveNoPhysicalCoreInCommon) {
  EXPECT_EQ(core_share(two_threads_each(4), 0, 2), (std::vector<int>{0, 4, 1, 5}));
  EXPECT_EQ(core_share(two_threads_each(4), 1, 2), (std::vector<int>{2, 6, 3, 7}));
}

TEST(CoreShare, EveryCoreBelongsToOneOfThem) {
  for (std::size_t gpus = 1; gpus <= 8; ++gpus) {
    std::multiset<int> seen;
    for (std::size_t place = 0; place < gpus; ++place)
      for (const int core : core_share(two_threads_each(37), place, gpus)) seen.insert(core);
    EXPECT_EQ(seen.size(), 74u) << gpus;
    EXPECT_EQ(std::set<int>(seen.begin(), seen.end()).size(), 74u) << gpus;
  }
}

TEST(CoreShare, WherePartsAreTooSmallAllHaveAll) {
  EXPECT_EQ(core_share({{0}, {1}, {2}, {3}}, 1, 2).size(), 4u);
  EXPECT_EQ(core_share({{0}, {1}}, 3, 2).size(), 2u) << "a place that there is not";
  EXPECT_TRUE(core_share({}, 0, 2).empty());
}

TEST(LaunchingCores, AreTheGpusPartOfTheNearOnes) {
  const test::TemporaryFolder nothing;  // every core is alone
  const std::vector<int> usable{0, 1, 2, 3, 4, 5, 6, 7, 9};
  GpuInfo gpu;
  gpu.near_cores = {1, 2, 3, 4, 8};
  EXPECT_EQ(launching_cores(gpu, usable, nothing.path()), (std::vector<int>{1, 2, 3, 4}));
  gpu.near_cores = {8};
  EXPECT_EQ(launching_cores(gpu, usable, nothing.path()), usable) << "none of them is ours";
  gpu.near_cores = {0, 1, 2, 3, 4, 5, 6, 7};
  gpu.sharing = 2;
  EXPECT_EQ(launching_cores(gpu, usable, nothing.path()), (std::vector<int>{0, 1, 2, 3}));
  gpu.place = 1;
  EXPECT_EQ(launching_cores(gpu, usable, nothing.path()), (std::vector<int>{4, 5, 6, 7}));
}

TEST(PhysicalCores, AreGroupedAsTheKernelSays) {
  const test::TemporaryFolder folder;
  for (const auto& [core, siblings] :
       {std::pair{0, "0,2"}, {1, "1,3"}, {2, "0,2"}, {3, "1,3"}, {4, "4-5"}, {5, "4-5"}}) {
    const auto topology = folder.path() / ("cpu" + std::to_string(core)) / "topology";
    std::filesystem::create_directories(topology);
    std::ofstream(topology / "thread_siblings_list") << siblings << "\n";
  }
  EXPECT_EQ(physical_cores({0, 1, 2, 3, 4, 5, 6}, folder.path()),
            (PhysicalCores{{0, 2}, {1, 3}, {4, 5}, {6}}));
}

}  // namespace
}  // namespace kbench
