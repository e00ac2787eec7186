#include "runner/measure/watch/idle_watch.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

IdleWatch watch_with(int slow, int quick) {
  IdleWatch watch;
  for (const int ns : {40'000, 41'000, 44'000}) watch.alone(ns);
  for (int i = 0; i < slow; ++i) watch.beside(1'500'000);
  for (int i = 0; i < quick; ++i) watch.beside(43'000);
  return watch;
}

TEST(IdleWatch, AQuietDeviceIsIdle) { EXPECT_FALSE(watch_with(0, 60).finding({})); }

TEST(IdleWatch, AFewSlowFlushesAreNoise) { EXPECT_FALSE(watch_with(3, 60).finding({})); }

TEST(IdleWatch, ManySlowFlushesAreSomebodyElsesWork) {
  ASSERT_TRUE(watch_with(12, 48).finding({}));
  EXPECT_NE(watch_with(12, 48).finding({})->find("12 of 60"), std::string::npos);
}

TEST(IdleWatch, WithoutAMeasurementAloneNothingIsSaid) {
  IdleWatch watch;
  for (int i = 0; i < 60; ++i) watch.beside(9'000'000);
  EXPECT_FALSE(watch.finding({}));
}

// Blocks of E S | S E and S E | E S in turn; eager takes `factor` times as long after S.
std::vector<Sample> blocks(int count, double factor) {
  std::vector<Sample> samples;
  for (int block = 0; block < count; ++block) {
    for (int visit = 0; visit < 2; ++visit) {
      const bool eager_first = (block + visit) % 2 == 0;
      const auto eager = static_cast<std::int64_t>(1e6 * (eager_first ? 1 : factor));
      Sample e{.block = block, .visit = visit, .side = Side::kEager, .time_ns = eager};
      Sample s{.block = block, .visit = visit, .side = Side::kSubmission, .time_ns = 500'000};
      samples.push_back(eager_first ? e : s);
      samples.push_back(eager_first ? s : e);
    }
  }
  return samples;
}

TEST(SlowedBaseline, AnUndisturbedBaselineIsNotSlowed) {
  EXPECT_FALSE(slowed_baseline(blocks(20, 1.0)));
  EXPECT_FALSE(slowed_baseline(blocks(20, 1.03)));
}

TEST(SlowedBaseline, ABaselineThatIsSlowerAfterTheSubmissionIsFound) {
  ASSERT_TRUE(slowed_baseline(blocks(20, 1.4)));
  EXPECT_NE(slowed_baseline(blocks(20, 1.4))->find("eager takes 1.40 times"), std::string::npos);
}

TEST(SlowedBaseline, AFewBlocksSayNothing) { EXPECT_FALSE(slowed_baseline(blocks(5, 2.0))); }

}  // namespace
}  // namespace kbench
