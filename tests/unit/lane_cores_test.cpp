#include "runner/plan/lane_cores.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<int> from_to(int first, int last) {
  std::vector<int> cores;
  for (int core = first; core <= last; ++core) cores.push_back(core);
  return cores;
}

GpuInfo near(const std::string& uuid, std::vector<int> cores) {
  GpuInfo gpu;
  gpu.uuid = uuid;
  gpu.near_cores = std::move(cores);
  return gpu;
}

class LaneCoresTest : public ::testing::Test {
 protected:
  // Core n and core n + cores are one.
  void have_hyper_threads(int cores) {
    for (int core = 0; core < 2 * cores; ++core) {
      const auto topology = folder_.path() / ("cpu" + std::to_string(core)) / "topology";
      std::filesystem::create_directories(topology);
      std::ofstream(topology / "thread_siblings_list")
          << core % cores << "," << core % cores + cores << "\n";
    }
  }
  [[nodiscard]] std::vector<LaneCores> lanes(const std::vector<GpuInfo>& gpus,
                                             const std::vector<int>& usable) const {
    return lane_cores(gpus, usable, folder_.path());
  }

  const TemporaryFolder folder_;  // nothing in it: every core is alone
};

TEST_F(LaneCoresTest, EachHasFourOfItsOwnNode) {
  const auto shares =
      lanes({near("a", from_to(0, 7)), near("b", from_to(8, 15)), near("c", from_to(0, 7))},
            from_to(0, 15));
  ASSERT_THAT(shares, SizeIs(3));
  EXPECT_EQ(shares[0].gpu.uuid, "a");
  EXPECT_THAT(shares[0].cores, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(shares[1].cores, ElementsAre(8, 9, 10, 11));
  EXPECT_THAT(shares[2].cores, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(builders_cores(shares, from_to(0, 15)), ElementsAre(12, 13, 14, 15));
}

TEST_F(LaneCoresTest, NoSiblingIsShared) {
  have_hyper_threads(8);
  const auto shares = lanes({near("a", from_to(0, 15)), near("b", from_to(0, 15))}, from_to(0, 15));
  ASSERT_THAT(shares, SizeIs(2));
  EXPECT_THAT(shares[0].cores, ElementsAre(0, 1, 2, 3, 8, 9, 10, 11));
  EXPECT_THAT(shares[1].cores, ElementsAre(4, 5, 6, 7, 12, 13, 14, 15));
  EXPECT_THAT(builders_cores(shares, from_to(0, 15)), IsEmpty());
}

TEST_F(LaneCoresTest, ThreeWillDoAndFewerMakeFewerLanes) {
  const std::vector<GpuInfo> gpus = {near("a", {}), near("b", {})};
  EXPECT_THAT(lanes(gpus, from_to(0, 6)), SizeIs(2));
  EXPECT_THAT(lanes(gpus, from_to(0, 6)).at(1).cores, ElementsAre(3, 4, 5));
  ASSERT_THAT(lanes(gpus, from_to(0, 4)), SizeIs(1));
  EXPECT_EQ(lanes(gpus, from_to(0, 4)).at(0).gpu.uuid, "a");
  EXPECT_THAT(lanes(gpus, from_to(0, 4)).at(0).cores, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(lanes(gpus, {0, 1}), IsEmpty());
}

TEST_F(LaneCoresTest, OneWithoutANodeTakesOfWhatTheOthersLeave) {
  const auto shares = lanes({near("a", {}), near("b", from_to(0, 3))}, from_to(0, 7));
  ASSERT_THAT(shares, SizeIs(2));
  EXPECT_THAT(shares[0].cores, ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(shares[1].cores, ElementsAre(0, 1, 2, 3));
}

// On any machine no core is given twice, and none that this process may not use.
TEST_F(LaneCoresTest, NoCoreIsInTwoShares) {
  for (int gpus = 1; gpus <= 8; ++gpus)
    for (int cores = 1; cores <= 40; ++cores) {
      std::vector<GpuInfo> all;
      for (int i = 0; i < gpus; ++i)
        all.push_back(near(std::to_string(i),
                           i % 2 == 0 ? from_to(0, cores / 2) : from_to(cores / 2 + 1, 2 * cores)));
      const std::vector<int> usable = from_to(0, cores - 1);
      const auto shares = lanes(all, usable);
      std::vector<int> seen = builders_cores(shares, usable);
      for (const LaneCores& lane : shares) {
        EXPECT_GE(lane.cores.size(), kFewestLaneCores);
        seen.insert(seen.end(), lane.cores.begin(), lane.cores.end());
      }
      std::sort(seen.begin(), seen.end());
      EXPECT_EQ(seen, usable) << gpus << " GPUs, " << cores << " cores";
    }
}

}  // namespace
}  // namespace kbench::test
