#include "runner/os/busy_cores.hpp"

#include <gtest/gtest.h>

#include "runner/core/usable_cores.hpp"
#include "tests/fakes/await.hpp"
#include "tests/fakes/idle_threads.hpp"

namespace kbench::test {
namespace {

TEST(BusyCores, KeepsEachAtWorkUntilItEnds) {
  const int core = usable_cores().front();
  {
    const BusyCores busy({core});
    EXPECT_EQ(busy.size(), 1U);
    EXPECT_TRUE(await([&] { return keeps_busy(core); }, "work on the core"));
  }
  EXPECT_TRUE(idle_threads().empty());
}

TEST(BusyCores, NoCoreIsNoWork) {
  const BusyCores busy({});
  EXPECT_EQ(busy.size(), 0U);
  EXPECT_TRUE(idle_threads().empty());
}

}  // namespace
}  // namespace kbench::test
