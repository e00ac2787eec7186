#include "runner/backend/draw_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "runner/backend/float16.hpp"

namespace kbench {
namespace {

// The standard normal quantile of normal_value's word, in double: one Newton step from the value
// under test, on whichever of erf and erfc keeps its digits.
double reference_normal(std::uint32_t word) {
  const double z = std::fabs(static_cast<double>(normal_value(word)));
  const double slice = static_cast<double>(word & 0x7FFFFFFFu) + 0.5;
  const double centre = slice * 0x1p-32;           // probability between 0 and |z|
  const double tail = (0x1p31 - slice) * 0x1p-32;  // probability beyond |z|
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double miss = z < 0.5 ? centre - 0.5 * std::erf(z / std::numbers::sqrt2)
                              : 0.5 * std::erfc(z / std::numbers::sqrt2) - tail;
  const double magnitude = z + miss / density;
  return (word >> 31) != 0 ? -magnitude : magnitude;
}

TEST(NormalValue, AgreesWithTheQuantileInDouble) {
  double worst = 0;
  const auto look = [&](std::uint32_t word) {
    const double expected = reference_normal(word);
    worst = std::max(worst, std::fabs(normal_value(word) - expected) / std::fabs(expected));
  };
  for (std::uint64_t word = 0; word < 0x100000000u; word += 4001) {
    look(static_cast<std::uint32_t>(word));
  }
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    look(i);                // around zero
    look(0x7FFFFFFFu - i);  // the tail
    look(0xFFFFFFFFu - i);
  }
  EXPECT_LT(worst, 5e-7);  // four spacings of float32
}

TEST(NormalValue, IsSymmetricAndReachesTheTails) {
  for (std::uint32_t word : {0u, 1u, 12345u, 0x40000000u, 0x7FFFFFFFu}) {
    EXPECT_EQ(normal_value(word), -normal_value(word | 0x80000000u));
  }
  EXPECT_GT(normal_value(0), 0);
  EXPECT_NEAR(normal_value(0x7FFFFFFFu), 6.338, 1e-3);  // P(Z > 6.338) = 2^-33
}

TEST(NormalValue, RisesWithItsWordUpToRounding) {
  float previous = 0;
  for (std::uint32_t word = 0; word < 0x7FFFF000u; word += 997) {
    const float value = normal_value(word);
    EXPECT_GE(value, previous * (1 - 4e-7f));
    previous = value;
  }
}

class NormalSample : public testing::Test {
 protected:
  static constexpr std::size_t kCount = 1 << 20;

  NormalSample() {
    const PhiloxStream stream = PhiloxStream::of(0x1234567890abcdef, 3);
    for (std::uint64_t block = 0; block < kCount / 4; ++block) {
      for (const std::uint32_t word : stream.block(block).lane) {
        values_.push_back(static_cast<double>(normal_value(word)));
      }
    }
  }

  [[nodiscard]] double moment(int power) const {
    double sum = 0;
    for (const double value : values_) sum += std::pow(value, power);
    return sum / kCount;
  }

  std::vector<double> values_;
};

// Bounds are five standard errors: sqrt(1, 2, 15, 96 / n) for the first four moments.
TEST_F(NormalSample, HasTheMomentsOfANormalDistribution) {
  const double root = std::sqrt(static_cast<double>(kCount));
  EXPECT_NEAR(moment(1), 0, 5 * 1 / root);
  EXPECT_NEAR(moment(2), 1, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(moment(3), 0, 5 * std::sqrt(15.0) / root);
  EXPECT_NEAR(moment(4), 3, 5 * std::sqrt(96.0) / root);
}

TEST_F(NormalSample, PassesKolmogorovSmirnov) {
  std::sort(values_.begin(), values_.end());
  double distance = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double cdf = 0.5 * std::erfc(-values_[i] / std::numbers::sqrt2);
    const auto n = static_cast<double>(kCount);
    distance = std::max(
        {distance, cdf - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - cdf});
  }
  EXPECT_LT(distance * std::sqrt(static_cast<double>(kCount)), 1.95);  // level 0.001
}

TEST_F(NormalSample, HasTheTailsOfANormalDistribution) {
  const auto beyond = std::count_if(values_.begin(), values_.end(),
                                    [](double value) { return std::fabs(value) > 4; });
  const double expected = kCount * std::erfc(4 / std::numbers::sqrt2);  // 66
  EXPECT_NEAR(static_cast<double>(beyond), expected, 5 * std::sqrt(expected));
}

TEST(UniformValue, StaysBelowTheOpenEnd) {
  const float a = 1.0f;
  const float b = std::nextafter(1.0f, 2.0f);
  EXPECT_EQ(uniform_value(0xFFFFFFFFu, a, b - a, a), a);
  EXPECT_EQ(uniform_value(0xFFFFFFFFu, 0.0f, 1.0f, std::nextafter(1.0f, 0.0f)),
            std::nextafter(1.0f, 0.0f));
  EXPECT_EQ(uniform_value(0u, -2.0f, 5.0f, 2.9f), -2.0f);
  EXPECT_EQ(uniform_value(0x80000000u, -2.0f, 4.0f, 1.9f), 0.0f);
}

TEST(IntegerValue, CoversItsRangeAndNothingElse) {
  EXPECT_EQ(integer_value(0u, -3, 7), -3);
  EXPECT_EQ(integer_value(0xFFFFFFFFu, -3, 7), 3);
  EXPECT_EQ(integer_value(0xFFFFFFFFu, 0, std::uint64_t{1} << 32), 0xFFFFFFFF);
  EXPECT_EQ(integer_value(0x80000000u, 10, 1), 10);
}

TEST(BernoulliValue, HonoursImpossibleAndCertain) {
  EXPECT_EQ(bernoulli_value(0u, 0), 0);
  EXPECT_EQ(bernoulli_value(0xFFFFFFFFu, std::uint64_t{1} << 32), 1);
  EXPECT_EQ(bernoulli_value(0x7FFFFFFFu, std::uint64_t{1} << 31), 1);
  EXPECT_EQ(bernoulli_value(0x80000000u, std::uint64_t{1} << 31), 0);
}

// Every word of a stride that is prime to all powers of two.
template <class Look>
void for_many_words(const Look& look) {
  for (std::uint64_t word = 0; word < 0x100000000u; word += 40009)
    look(static_cast<std::uint32_t>(word));
}

TEST(HardValues, WideOnesCoverTheirExponentsEvenly) {
  std::vector<int> count(24);
  int negative = 0;
  int all = 0;
  for_many_words([&](std::uint32_t word) {
    const float value = wide_value(word, false);
    int exponent = 0;
    std::frexp(value, &exponent);  // value = m * 2^exponent, 1/2 <= |m| < 1
    ASSERT_TRUE(exponent >= -11 && exponent <= 12) << value;
    ++count[static_cast<std::size_t>(exponent + 11)];
    negative += value < 0 ? 1 : 0;
    ++all;
    ASSERT_EQ(wide_value(word, true), std::fabs(value));
  });
  EXPECT_NEAR(negative, all / 2, all / 100);
  for (const int n : count) EXPECT_NEAR(n, all / 24, all / 24 / 15);  // 10 or 11 of 256 each
}

TEST(HardValues, HalfAreZerosOfEitherSign) {
  int positive = 0;
  int negative = 0;
  int all = 0;
  for_many_words([&](std::uint32_t word) {
    const float value = signed_zeros_value(word, false);
    ++all;
    if (value == 0) {
      ++(std::signbit(value) ? negative : positive);
      return;
    }
    ASSERT_TRUE(std::fabs(value) >= 0.5f && std::fabs(value) < 1.0f);
  });
  EXPECT_NEAR(positive, all / 4, all / 50);
  EXPECT_NEAR(negative, all / 4, all / 50);
}

TEST(HardValues, OneIn64IsDenormal) {
  int denormal = 0;
  int all = 0;
  for_many_words([&](std::uint32_t word) {
    const float value = std::fabs(denormals_value(word, false));
    ++all;
    if (value < std::numeric_limits<float>::min()) return static_cast<void>(++denormal);
    ASSERT_TRUE(value >= 0.5f && value < 1.0f);
  });
  EXPECT_NEAR(denormal, all / 64, all / 500);
}

TEST(HardValues, OneIn64Swamps) {
  int spikes = 0;
  int all = 0;
  for_many_words([&](std::uint32_t word) {
    const float value = std::fabs(spikes_value(word, false));
    ++all;
    if (value >= 256 && value < 512) return static_cast<void>(++spikes);
    ASSERT_TRUE(value >= 0.5f && value < 1.0f);
  });
  EXPECT_NEAR(spikes, all / 64, all / 640);
}

// The value of a 16-bit pattern of 1 sign, `exponent` and the rest significand bits.
double decode(std::uint32_t bits, int exponent) {
  const int fraction = 15 - exponent;
  const int bias = (1 << (exponent - 1)) - 1;
  const int e = static_cast<int>((bits & 0x7FFFu) >> fraction);
  const auto f = static_cast<double>(bits & ((1u << fraction) - 1));
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  if (e == (1 << exponent) - 1) return f == 0 ? sign * INFINITY : NAN;
  if (e == 0) return sign * std::ldexp(f, 1 - bias - fraction);
  return sign * std::ldexp(f + std::ldexp(1, fraction), e - bias - fraction);
}

template <class T, class Encode>
void check_format(int exponent, const Encode& encode) {
  for (std::uint32_t bits = 0; bits < 0x8000u; ++bits) {
    const double value = decode(bits, exponent);
    const auto read = static_cast<double>(to_float(T{static_cast<std::uint16_t>(bits)}));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(read)) << bits;
      EXPECT_TRUE(std::isnan(to_float(encode(NAN))));
      continue;
    }
    ASSERT_EQ(read, value) << bits;
    ASSERT_EQ(encode(static_cast<float>(value)).bits, bits);
    ASSERT_EQ(encode(-static_cast<float>(value)).bits, bits | 0x8000u);
    const double next = decode(bits + 1, exponent);
    if (!std::isfinite(value) || !std::isfinite(next)) continue;
    const auto middle = static_cast<float>((value + next) / 2);  // exact in float32
    ASSERT_EQ(encode(middle).bits, (bits & 1u) != 0 ? bits + 1 : bits) << "tie above " << bits;
    ASSERT_EQ(encode(std::nextafter(middle, INFINITY)).bits, bits + 1);
    ASSERT_EQ(encode(std::nextafter(middle, 0.0f)).bits, bits);
  }
}

TEST(Float16, RoundsToNearestEvenOverTheWholeRange) {
  check_format<Half>(5, [](float value) { return to_half(value); });
  EXPECT_EQ(to_half(65519.0f).bits, 0x7BFF);
  EXPECT_EQ(to_half(65520.0f).bits, 0x7C00);
  EXPECT_EQ(to_half(1e30f).bits, 0x7C00);
  EXPECT_EQ(to_half(-INFINITY).bits, 0xFC00);
}

TEST(BFloat16, RoundsToNearestEvenOverTheWholeRange) {
  check_format<BFloat16>(8, [](float value) { return to_bfloat16(value); });
  EXPECT_EQ(to_bfloat16(3.4e38f).bits, 0x7F80);
}

}  // namespace
}  // namespace kbench
