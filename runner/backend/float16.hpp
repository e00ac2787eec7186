// float16 and bfloat16 as plain 16-bit patterns: conversion to and from float32 in integer
// arithmetic, so that host and device agree bit for bit in all rounding and denormal modes. Towards
// 16 bits: nearest, ties to even, overflow to infinity, NaN stays NaN.
#pragma once

#include <cstdint>

#include "runner/backend/portable.hpp"

namespace kbench {

struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

KB_HD BFloat16 to_bfloat16(float value) {
  const std::uint32_t bits = portable::bits_of(value);
  const std::uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  const bool nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
  return {static_cast<std::uint16_t>(nan ? (bits >> 16) | 0x0040u : rounded)};
}

KB_HD float to_float(BFloat16 value) {
  return portable::float_of(static_cast<std::uint32_t>(value.bits) << 16);
}

KB_HD Half to_half(float value) {
  const std::uint32_t bits = portable::bits_of(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  // Normal range: move the exponent bias from 127 to 15, round away 13 bits. A carry runs into the
  // exponent, and from the largest finite value into infinity, as it must.
  const std::uint32_t shifted = magnitude - (112u << 23);
  const std::uint32_t normal = (shifted + 0xFFFu + ((shifted >> 13) & 1u)) >> 13;
  // Below 2^-14: the significand with its hidden bit, shifted to units of 2^-24.
  const std::uint32_t exponent = magnitude >> 23;
  const std::uint32_t shift = exponent < 102u ? 25u : (exponent > 112u ? 13u : 126u - exponent);
  const std::uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
  const std::uint32_t half_unit = (1u << (shift - 1u)) - 1u;
  const std::uint32_t tiny =
      exponent < 102u ? 0u : (significand + half_unit + ((significand >> shift) & 1u)) >> shift;
  std::uint32_t result = magnitude < (113u << 23) ? tiny : normal;
  if (magnitude >= (143u << 23)) result = 0x7C00u;  // 2^16 and above
  if (magnitude > 0x7F800000u) result = 0x7E00u;    // NaN
  return {static_cast<std::uint16_t>(sign | result)};
}

KB_HD float to_float(Half value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = value.bits & 0x7FFFu;
  // Subnormal: a multiple of 2^-24, exact in float32.
  const float tiny = portable::mul(portable::to_float(magnitude), 0x1p-24f);
  const std::uint32_t bias = magnitude >= 0x7C00u ? 224u << 23 : 112u << 23;
  const std::uint32_t normal = (magnitude << 13) + bias;
  return portable::float_of(sign | (magnitude < 0x0400u ? portable::bits_of(tiny) : normal));
}

}  // namespace kbench
