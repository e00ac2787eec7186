#include "reports/rank/bootstrap.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(Redraw, LuckIsStandardNormal) {
  Redraw redraw(1);
  double sum = 0;
  double squares = 0;
  int beyond = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const double luck = redraw.luck();
    sum += luck;
    squares += luck * luck;
    beyond += std::abs(luck) > 1.96 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
  EXPECT_NEAR(1.0 * beyond / kDraws, 0.05, 0.005);
}

TEST(Redraw, TasksAreEquallyLikely) {
  Redraw redraw(2);
  std::vector<int> count(7);
  std::vector<std::uint32_t> drawn(7);
  for (int i = 0; i < 10'000; ++i) {
    redraw.tasks(7, drawn);
    for (const std::uint32_t task : drawn) ++count.at(task);
  }
  for (const int times : count) EXPECT_NEAR(times, 10'000, 400);
}

// Redrawings of the mean of a sample of standard exponential numbers.
struct SkewedSample {
  std::vector<double> values;
  double mean = 0;
  std::vector<double> redrawn;
  std::vector<double> without;

  SkewedSample(std::size_t size, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < size; ++i)
      values.push_back(-std::log((static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0));
    const auto count = static_cast<double>(size);
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    mean = sum / count;
    for (const double value : values) without.push_back((sum - value) / (count - 1));
    Redraw redraw(seed);
    std::vector<std::uint32_t> drawn(size);
    for (int i = 0; i < 2000; ++i) {
      redraw.tasks(size, drawn);
      double total = 0;
      for (const std::uint32_t at : drawn) total += values[at];
      redrawn.push_back(total / count);
    }
  }
};

TEST(Bca, HoldsTheMeanOfASkewedDistributionAsOftenAsItSays) {
  int held = 0;
  constexpr int kSamples = 400;
  for (int i = 0; i < kSamples; ++i) {
    SkewedSample sample(40, 1000 + static_cast<std::uint64_t>(i));
    const Bounds bounds = bca_interval(sample.mean, sample.redrawn, sample.without);
    held += bounds.low <= 1 && 1 <= bounds.high ? 1 : 0;
  }
  EXPECT_GE(held, 0.91 * kSamples);  // 95 % in large samples; forty are not many
  EXPECT_LE(held, 0.98 * kSamples);
}

TEST(Bca, ReachesFurtherOnTheSideOfTheLongTail) {
  SkewedSample sample(40, 5);
  const Bounds bounds = bca_interval(sample.mean, sample.redrawn, sample.without);
  EXPECT_GT(bounds.high - sample.mean, sample.mean - bounds.low);
}

TEST(Bca, OfEqualRedrawingsIsThatNumber) {
  std::vector<double> redrawn(100, 2.0);
  const Bounds bounds = bca_interval(2, redrawn, std::vector<double>{2, 2, 2});
  EXPECT_EQ(bounds.low, 2);
  EXPECT_EQ(bounds.high, 2);
}

TEST(Jeffreys, NoneAndAllAreMirrorImages) {
  const Bounds none = jeffreys_interval(false, 10);
  const Bounds all = jeffreys_interval(true, 10);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.2172, 5e-4);  // Brown, Cai, DasGupta, 2001: x = 0, n = 10
  EXPECT_NEAR(all.low, 1 - none.high, 1e-12);
  EXPECT_EQ(all.high, 1);
}

}  // namespace
}  // namespace kbench
