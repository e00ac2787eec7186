// From one random 32-bit word to one value: the scalar definition that the kernels of every device
// inline. Only correctly rounded operations and explicit fma, so that all of them agree bit for
// bit.
#pragma once

#include <cstdint>

#include "runner/backend/philox.hpp"
#include "runner/backend/portable.hpp"

namespace kbench {

// Uniform on [a, last] with 24 bits: a + u * span, u a multiple of 2^-24 in [0, 1). `last` is the
// largest float below the interval's open end, which rounding could otherwise reach.
KB_HD float uniform_value(std::uint32_t word, float a, float span, float last) {
  const float u = portable::mul(portable::to_float(word >> 8), 0x1p-24f);
  const float x = portable::fma(u, span, a);
  return x > last ? last : x;
}

// -ln(y) for y in [2^-100, 1], to about 1e-7 relative. y = 2^e * (1 + f) with 1 + f in
// [sqrt(1/2), sqrt(2)), ln(1 + f) = f - f^2/2 + f^3 * polynomial (own minimax fit, error 6e-9).
KB_HD float minus_log(float y) {
  constexpr std::uint32_t kSqrtHalf = 0x3F3504F3u;
  const std::uint32_t offset = portable::bits_of(y) - kSqrtHalf;
  const float e = portable::to_float(static_cast<std::int32_t>(offset) >> 23);
  const float f = portable::sub(portable::float_of((offset & 0x7FFFFFu) + kSqrtHalf), 1.0f);
  float p = -0.0763444155f;
  p = portable::fma(p, f, 0.127615675f);
  p = portable::fma(p, f, -0.131601989f);
  p = portable::fma(p, f, 0.142017603f);
  p = portable::fma(p, f, -0.166233554f);
  p = portable::fma(p, f, 0.200012267f);
  p = portable::fma(p, f, -0.250008225f);
  p = portable::fma(p, f, 0.333333313f);
  const float q = portable::fma(p, f, -0.5f);
  const float log_f = portable::fma(portable::mul(f, f), q, f);
  return portable::fma(-e, 0.693147182f, -log_f);
}

// Standard normal by the inverse of its distribution function. The word's top bit is the sign, the
// other 31 pick one of 2^31 equal slices of the half line, each represented by its middle: |z| runs
// from 2.9e-10 to 6.34. With p the tail probability, w = -ln(4 p (1 - p)) makes z / (1 - 2 p)
// smooth (the substitution of Giles, "Approximating the erfinv function", 2012); the two
// polynomials in w and sqrt(w) are own minimax fits, errors 6e-9 and 9e-8.
KB_HD float normal_value(std::uint32_t word) {
  const std::uint32_t odd = (word << 1) | 1u;                        // 2^33 * (1/2 - p)
  const float x = portable::mul(portable::to_float(odd), 0x1p-32f);  // 1 - 2 p
  const float p = portable::mul(portable::to_float(0u - odd), 0x1p-33f);
  const float y = portable::mul(portable::mul(4.0f, p), portable::sub(1.0f, p));
  const float w = minus_log(y);

  const float c = portable::sub(w, 2.5f);
  float central = -1.24324311e-08f;
  central = portable::fma(central, c, 3.28559224e-08f);
  central = portable::fma(central, c, 6.59264856e-07f);
  central = portable::fma(central, c, -4.89700415e-06f);
  central = portable::fma(central, c, -7.01923364e-06f);
  central = portable::fma(central, c, 0.000308785675f);
  central = portable::fma(central, c, -0.00177164457f);
  central = portable::fma(central, c, -0.00590771716f);
  central = portable::fma(central, c, 0.34880203f);
  central = portable::fma(central, c, 2.12331343f);
  const float t = portable::sub(portable::sqrt(w < 0.0f ? 0.0f : w), 3.4f);
  float tail = 6.2145773e-05f;
  tail = portable::fma(tail, t, -2.52429491e-05f);
  tail = portable::fma(tail, t, -0.000455209869f);
  tail = portable::fma(tail, t, 0.00102680223f);
  tail = portable::fma(tail, t, -0.0013711456f);
  tail = portable::fma(tail, t, 0.00204769569f);
  tail = portable::fma(tail, t, -0.00365465134f);
  tail = portable::fma(tail, t, 0.00562754832f);
  tail = portable::fma(tail, t, 1.4236145f);
  tail = portable::fma(tail, t, 4.57467461f);
  const float z = portable::mul(x, w < 5.0f ? central : tail);
  return (word >> 31) != 0u ? -z : z;
}

// One of base, base + step, ..., `count` values in all, count <= 2^32, by multiplication and shift.
KB_HD std::int64_t integer_value(std::uint32_t word, std::int64_t base, std::uint64_t count,
                                 std::int64_t step = 1) {
  return base + step * static_cast<std::int64_t>((word * count) >> 32);
}

// The value 1 with probability threshold / 2^32, else 0.
KB_HD std::int64_t bernoulli_value(std::uint32_t word, std::uint64_t threshold) {
  return word < threshold ? 1 : 0;
}

// The hard kinds make their value out of the word's bits, without arithmetic: its top bit is the
// sign, its low 23 bits the significand, and the bits between choose the exponent.
struct HardBits {
  std::uint32_t sign;      // the sign bit at its place
  std::uint32_t choice;    // 8 bits
  std::uint32_t fraction;  // 23 bits
};

KB_HD HardBits hard_bits(std::uint32_t word, bool non_negative) {
  return {non_negative ? 0u : word & 0x80000000u, (word >> 23) & 0xFFu, word & 0x7FFFFFu};
}

KB_HD float with_exponent(const HardBits& bits, std::uint32_t biased_exponent) {
  return portable::float_of(bits.sign | (biased_exponent << 23) | bits.fraction);
}

// A value with 2^-12 <= |x| < 2^12, the exponents equally often.
KB_HD float wide_value(std::uint32_t word, bool non_negative) {
  const HardBits bits = hard_bits(word, non_negative);
  return with_exponent(bits, 127u - 12u + ((bits.choice * 24u) >> 8));
}

// A zero of either sign in half of the cases, else 1/2 <= |x| < 1.
KB_HD float signed_zeros_value(std::uint32_t word, bool non_negative) {
  const HardBits bits = hard_bits(word, non_negative);
  if ((bits.choice & 1u) != 0u) return portable::float_of(word & 0x80000000u);
  return with_exponent(bits, 126u);
}

// A denormal in one of 64 cases, else 1/2 <= |x| < 1. Not more: a processor may take a hundred
// times as long for each, and honest products of half denormal matrices ran into the limit of a
// call.
KB_HD float denormals_value(std::uint32_t word, bool non_negative) {
  const HardBits bits = hard_bits(word, non_negative);
  return with_exponent(bits, (bits.choice & 63u) == 0u ? 0u : 126u);
}

// A value with 256 <= |x| < 512 in one of 64 cases, else 1/2 <= |x| < 1.
KB_HD float spikes_value(std::uint32_t word, bool non_negative) {
  const HardBits bits = hard_bits(word, non_negative);
  return with_exponent(bits, (bits.choice & 63u) == 0u ? 127u + 8u : 126u);
}

}  // namespace kbench
