#include "runner/trajectory/value_targets.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::ElementsAre;

// The definition as it stands in the paper: a double sum, nothing reused.
double naive_advantage(const std::vector<double>& rewards, const std::vector<double>& values,
                       std::size_t t, double discount, double decay) {
  double sum = 0;
  for (std::size_t l = 0; t + l < rewards.size(); ++l) {
    const double next = t + l + 1 < values.size() ? values[t + l + 1] : 0;
    const double delta = rewards[t + l] + discount * next - values[t + l];
    sum += std::pow(discount * decay, static_cast<double>(l)) * delta;
  }
  return sum;
}

TEST(ValueTargets, AreTheNaiveDoubleSum) {
  std::mt19937 random(20);
  std::uniform_real_distribution<double> uniform(-3, 3);
  for (const double discount : {1.0, 0.9}) {
    for (std::size_t turns : {std::size_t{1}, std::size_t{2}, std::size_t{17}, std::size_t{200}}) {
      for (std::size_t more : {std::size_t{0}, std::size_t{1}}) {
        std::vector<double> rewards(turns);
        std::vector<double> values(turns + more);
        for (double& reward : rewards) reward = uniform(random);
        for (double& value : values) value = uniform(random);
        const auto made = value_targets(rewards, values, discount);
        ASSERT_TRUE(made.ok());
        for (std::size_t t = 0; t < turns; ++t) {
          const double expected = naive_advantage(rewards, values, t, discount, kTraceDecay);
          EXPECT_NEAR((*made->advantages)[t], expected, 1e-12);
          EXPECT_NEAR(made->targets[t], values[t] + expected, 1e-12);
        }
      }
    }
  }
}

TEST(ValueTargets, WithoutValuesAreTheReturnAndDoNotDecay) {
  const std::vector<double> rewards = {0, 0, 0, 3};
  const ValueTargets made = value_targets(rewards);
  EXPECT_THAT(made.targets, ElementsAre(3, 3, 3, 3));
  EXPECT_EQ(made.advantages, std::nullopt);
  // For comparison, the targets that values of 0 would teach.
  const auto zero = value_targets(rewards, std::vector<double>(4));
  EXPECT_NEAR(zero->targets[0], 3 * std::pow(0.95, 3), 1e-12);
}

TEST(ValueTargets, AnotherDiscountCountsInTheReturn) {
  EXPECT_THAT(value_targets(std::vector<double>{1, 0, 4}, 0.5).targets, ElementsAre(2, 2, 4));
}

TEST(ValueTargets, OfAnEpisodeWithoutTurnsAreNone) {
  EXPECT_TRUE(value_targets(std::vector<double>{}).targets.empty());
  const auto made = value_targets(std::vector<double>{}, std::vector<double>{});
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->targets.empty());
}

TEST(ValueTargets, ThatDoNotFitAreRefused) {
  const std::vector<double> rewards = {0, 1};
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
    const auto made = value_targets(rewards, std::vector<double>(count));
    ASSERT_FALSE(made.ok()) << count;
    EXPECT_EQ(made.error().code, ErrorCode::kBadInput);
  }
  const std::vector<double> odd = {0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_FALSE(value_targets(rewards, odd).ok());
}

}  // namespace
}  // namespace kbench
