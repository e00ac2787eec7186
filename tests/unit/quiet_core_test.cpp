#include "runner/measure/watch/quiet_core.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "runner/core/usable_cores.hpp"
#include "runner/measure/watch/core_pin.hpp"

namespace kbench {
namespace {

TEST(QuietCore, TakesTheFastestOfNow) {
  std::map<int, std::int64_t> ns = {{4, 120}, {5, 130}, {6, 100}, {7, 110}};
  const QuietCore cores({4, 5, 6, 7}, [&](int core) { return ns.at(core); });
  EXPECT_EQ(cores.choose(), 6);
  ns[6] = 140;
  EXPECT_EQ(cores.choose(), 7);
}

TEST(QuietCore, AsksAtMostSixteen) {
  std::vector<int> many(64);
  std::iota(many.begin(), many.end(), 0);
  int asked = 0;
  const QuietCore cores(many, [&](int core) {
    ++asked;
    return 100 - core;
  });
  EXPECT_EQ(cores.choose(), 15);
  EXPECT_EQ(asked, 16);
}

TEST(QuietCore, WhereNoCoreCanBeAskedTheFirstIsTaken) {
  const QuietCore cores({4, 5, 6}, [](int) { return std::numeric_limits<std::int64_t>::max(); });
  EXPECT_EQ(cores.choose(), 4);
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
