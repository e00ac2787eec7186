// When a client who found no place is to come again.
#include "runner/serve/pace.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "runner/serve/client_limits.hpp"

namespace kbench {
namespace {

using namespace std::chrono_literals;

TEST(Pace, EachWhoIsRefusedComesOnePlaceLater) {
  Pace pace(2s);
  const Pace::Clock::time_point now{};
  EXPECT_EQ(pace.refused(now), 2s);
  EXPECT_EQ(pace.refused(now), 4s);
  EXPECT_EQ(pace.refused(now + 3s), 3s) << "there is a place at 4 s for another one, at 6 s";
  EXPECT_EQ(pace.refused(now + 60s), 2s) << "times that have passed count no more";
}

TEST(Pace, TheTimeBetweenFreePlacesIsMeasured) {
  Pace pace(1s);
  Pace::Clock::time_point now{};
  pace.begin(now);
  for (int i = 0; i < 3; ++i) pace.freed(now += 20s);
  EXPECT_EQ(pace.refused(now), 20s);
  now += 90s;
  EXPECT_EQ(pace.refused(now), 90s) << "it has become slower";
}

TEST(Pace, WhereNobodyWaitsNoTimeIsMeasured) {
  Pace pace(1s);
  Pace::Clock::time_point now{};
  pace.begin(now);
  pace.freed(now += 4s);
  pace.rest();
  now += 3600s;
  pace.begin(now);
  pace.freed(now += 4s);
  EXPECT_EQ(pace.refused(now), 4s);
}

TEST(Pace, ItIsASecondAtLeastAndNoLongerThanAnybodyWaits) {
  Pace pace(1ms);
  EXPECT_EQ(pace.refused({}), 1s);
  Pace slow(1h);
  EXPECT_EQ(slow.refused({}), limits::kMostWait);
  EXPECT_EQ(slow.refused({}), limits::kMostWait);
}

}  // namespace
}  // namespace kbench
