#include "runner/backend/cpu/compare_kernels.hpp"

#include "runner/backend/cpu/clones.hpp"
#include "runner/backend/float16.hpp"

namespace kbench::cpu {

KB_CLONES static void widen_float(const float* from, std::size_t n, double* values) {
  for (std::size_t i = 0; i < n; ++i) values[i] = from[i];
}

KB_CLONES static void widen_half(const Half* from, std::size_t n, double* values) {
  for (std::size_t i = 0; i < n; ++i) values[i] = to_float(from[i]);
}

KB_CLONES static void widen_bfloat16(const BFloat16* from, std::size_t n, double* values) {
  for (std::size_t i = 0; i < n; ++i) values[i] = to_float(from[i]);
}

template <class From, class To>
static void widen_from(const std::byte* source, std::size_t n, To* values) {
  const auto* from = reinterpret_cast<const From*>(source);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<To>(from[i]);
}

template <class To>
static void widen_any_integer(DType dtype, const std::byte* source, std::size_t n, To* values) {
  switch (dtype) {
    case DType::kInt64: return widen_from<std::int64_t>(source, n, values);
    case DType::kInt32: return widen_from<std::int32_t>(source, n, values);
    case DType::kInt16: return widen_from<std::int16_t>(source, n, values);
    case DType::kInt8: return widen_from<std::int8_t>(source, n, values);
    default: return widen_from<std::uint8_t>(source, n, values);
  }
}

void widen(DType dtype, const std::byte* source, std::size_t n, double* values) {
  switch (dtype) {
    case DType::kFloat64: return widen_from<double>(source, n, values);
    case DType::kFloat32: return widen_float(reinterpret_cast<const float*>(source), n, values);
    case DType::kFloat16: return widen_half(reinterpret_cast<const Half*>(source), n, values);
    case DType::kBFloat16:
      return widen_bfloat16(reinterpret_cast<const BFloat16*>(source), n, values);
    default: return widen_any_integer(dtype, source, n, values);
  }
}

void widen_integers(DType dtype, const std::byte* source, std::size_t n, std::int64_t* values) {
  widen_any_integer(dtype, source, n, values);
}

namespace {

constexpr double kNaN = __builtin_nan("");
constexpr std::size_t kElements = 8;  // elements at a time, in one vector or several

// Vector types are lowered before functions are cloned, so KB_CLONES would clone scalar code.
namespace baseline {
constexpr std::size_t kLanes = 2;
#include "runner/backend/cpu/judge_batch.inc"
}  // namespace baseline
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define KB_WIDER_VARIANTS
#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace avx2 {
constexpr std::size_t kLanes = 4;
#include "runner/backend/cpu/judge_batch.inc"
}  // namespace avx2
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq")
namespace avx512 {
constexpr std::size_t kLanes = 8;
#include "runner/backend/cpu/judge_batch.inc"
}  // namespace avx512
#pragma GCC pop_options
#endif

}  // namespace

BatchErrors judge_batch(const ErrorBound& bound, const double* got, const double* reference,
                        std::size_t n) {
#if defined(KB_WIDER_VARIANTS)
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq")) {
    return avx512::judge_batch(bound, got, reference, n);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return avx2::judge_batch(bound, got, reference, n);
  }
#endif
  return baseline::judge_batch(bound, got, reference, n);
}

KB_CLONES std::uint64_t count_different(const std::int64_t* a, const std::int64_t* b,
                                        std::size_t n) {
  std::uint64_t different = 0;
#pragma omp simd reduction(+ : different)
  for (std::size_t i = 0; i < n; ++i) different += a[i] != b[i] ? 1u : 0u;
  return different;
}

}  // namespace kbench::cpu
