// Arithmetic that gives the same bits from g++ on the host and nvcc on the device:
// every operation is rounded to nearest by itself, and a fused multiply-add happens only where it
// is written. Nothing here calls libm.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define KB_HD __host__ __device__ __forceinline__
#else
#define KB_HD inline __attribute__((always_inline))
#endif

namespace kbench::portable {

KB_HD std::uint32_t bits_of(float x) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(x);
#else
  return __builtin_bit_cast(std::uint32_t, x);
#endif
}

KB_HD float float_of(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}

KB_HD std::uint64_t bits_of(double x) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  return __builtin_bit_cast(std::uint64_t, x);
#endif
}

KB_HD double double_of(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return __builtin_bit_cast(double, bits);
#endif
}

KB_HD float fma(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}

KB_HD float mul(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

KB_HD float add(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

KB_HD float sub(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fsub_rn(a, b);
#else
  return a - b;
#endif
}

KB_HD float sqrt(float a) {
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(a);
#else
  return __builtin_sqrtf(a);
#endif
}

KB_HD double abs(double a) {
#if defined(__CUDA_ARCH__)
  return ::fabs(a);
#else
  return __builtin_fabs(a);
#endif
}

// Rounded to nearest even by every compiler's conversion.
KB_HD float to_float(std::uint32_t n) { return static_cast<float>(n); }
KB_HD float to_float(std::int32_t n) { return static_cast<float>(n); }
KB_HD float to_float(std::int64_t n) { return static_cast<float>(n); }

}  // namespace kbench::portable
