#include "runner/measure/quiet_core.hpp"

#include <map>

#include <gtest/gtest.h>

#include "runner/core/usable_cores.hpp"
#include "runner/measure/core_pin.hpp"

namespace kbench {
namespace {

class QuietCoreTest : public testing::Test {
 protected:
  std::optional<int> choose() { return cores_.choose(); }

  std::map<int, std::int64_t> ns_{{0, 100}, {1, 100}, {2, 100}, {3, 100}};
  int probes_ = 0;
  QuietCore cores_{{0, 1, 2, 3}, [this](int core) {
                     ++probes_;
                     return ns_.at(core);
                   }};
};

TEST_F(QuietCoreTest, TheFirstTimeAllAreTriedAndTheFastestIsTaken) {
  ns_ = {{0, 120}, {1, 130}, {2, 100}, {3, 110}};
  EXPECT_EQ(choose(), 2);
  EXPECT_EQ(probes_, 4);
}

TEST_F(QuietCoreTest, StaysWhereItIsQuiet) {
  (void)choose();
  probes_ = 0;
  ns_[0] = 111;
  EXPECT_EQ(choose(), 0);
  EXPECT_EQ(probes_, 1);
}

TEST_F(QuietCoreTest, LeavesACoreThatBecameSlowForTheNextQuietOne) {
  (void)choose();
  ns_[0] = ns_[1] = 140;
  EXPECT_EQ(choose(), 2);
  EXPECT_EQ(choose(), 2) << "and stays there";
}

TEST_F(QuietCoreTest, WhereAllAreSlowTheFastestIsTaken) {
  (void)choose();
  ns_ = {{0, 150}, {1, 160}, {2, 140}, {3, 170}};
  EXPECT_EQ(choose(), 2);
}

TEST(QuietCore, TwoCoresAreNoChoice) {
  EXPECT_EQ(QuietCore({0, 1}, [](int) { return 1; }).choose(), std::nullopt);
}

TEST(QuietCore, TheProbeComesBackToWhereItWas) {
  const std::vector<int> before = usable_cores();
  ASSERT_FALSE(before.empty());
  for (const int core : before) EXPECT_GT(probe_core_ns(core), 0);
  EXPECT_EQ(usable_cores(), before);
}

TEST(CoreAvoidance, KeepsOffUntilItEnds) {
  const std::vector<int> before = usable_cores();
  if (before.size() < 2) GTEST_SKIP() << "one core: nowhere else to go";
  {
    CoreAvoidance avoidance;
    avoidance.stay_off(before.back());
    EXPECT_EQ(usable_cores(), std::vector<int>(before.begin(), before.end() - 1));
    avoidance.stay_off(before.front());
    EXPECT_EQ(usable_cores(), std::vector<int>(before.begin() + 1, before.end()));
  }
  EXPECT_EQ(usable_cores(), before);
}

}  // namespace
}  // namespace kbench
