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
  std::map<int, int> probes_;
  QuietCore cores_{{0, 1, 2, 3}, [this](int core) {
                     ++probes_[core];
                     return ns_.at(core);
                   }};
};

TEST_F(QuietCoreTest, TakesTheFastest) {
  ns_ = {{0, 120}, {1, 130}, {2, 100}, {3, 110}};
  EXPECT_EQ(choose(), 2);
}

TEST_F(QuietCoreTest, LeavesACoreThatIsSlowJustNow) {
  ns_[1] = 99;
  ASSERT_EQ(choose(), 1);
  ns_[1] = 140;
  EXPECT_NE(choose(), 1);
}

TEST_F(QuietCoreTest, PrefersACoreThatWasQuietMostOfTheTime) {
  // Core 0 is the fastest whenever nobody is there, two times out of three.
  for (int i = 0; i < 100; ++i) {
    ns_ = {{0, i % 3 == 0 ? 140 : 95}, {1, 120}, {2, 101}, {3, 130}};
    (void)choose();
  }
  ns_[0] = 95;
  EXPECT_EQ(choose(), 2);
}

TEST_F(QuietCoreTest, ForgetsNoCore) {
  ns_ = {{0, 100}, {1, 140}, {2, 140}, {3, 140}};
  for (int i = 0; i < 20; ++i) EXPECT_EQ(choose(), 0);
  ns_ = {{0, 140}, {1, 140}, {2, 140}, {3, 100}};
  for (int i = 0; i < 100; ++i) (void)choose();
  EXPECT_EQ(choose(), 3);
}

TEST_F(QuietCoreTest, AsksTwoCoresAsARule) {
  (void)choose();
  probes_.clear();
  (void)choose();
  int asked = 0;
  for (const auto& [core, count] : probes_) asked += count;
  EXPECT_EQ(asked, 2);
}

TEST_F(QuietCoreTest, WhereAllAreSlowTheFastestJustNowIsTaken) {
  ns_ = {{0, 100}, {1, 103}, {2, 104}, {3, 105}};
  (void)choose();
  ns_ = {{0, 154}, {1, 153}, {2, 150}, {3, 155}};
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
