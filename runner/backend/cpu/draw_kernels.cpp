#include "runner/backend/cpu/draw_kernels.hpp"

#include <array>
#include <cstring>

#include "runner/backend/cpu/clones.hpp"
#include "runner/backend/draw_values.hpp"
#include "runner/backend/float16.hpp"

namespace kbench::cpu {

KB_CLONES void philox_words(const PhiloxStream& stream, std::uint64_t first_block,
                            std::size_t blocks, std::uint32_t* words) {
  constexpr std::size_t kLanes = kBatch / 4;
  const PhiloxStream local = stream;
  std::array<std::uint32_t, kLanes> low;
  std::array<std::uint32_t, kLanes> high;
  for (std::size_t j = 0; j < blocks; ++j) {
    low[j] = static_cast<std::uint32_t>(first_block + j);
    high[j] = static_cast<std::uint32_t>((first_block + j) >> 32);
  }
#pragma omp simd
  for (std::size_t j = 0; j < blocks; ++j) {
    const PhiloxBlock block = philox4x32(low[j], high[j], local.tensor_low, local.tensor_high,
                                         local.key_low, local.key_high);
    words[4 * j + 0] = block.lane[0];
    words[4 * j + 1] = block.lane[1];
    words[4 * j + 2] = block.lane[2];
    words[4 * j + 3] = block.lane[3];
  }
}

KB_CLONES void uniform_values(const DrawPlan& plan, const std::uint32_t* words, std::size_t n,
                              float* values) {
  const float a = plan.a;
  const float span = plan.span;
  const float last = plan.last;
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) values[i] = uniform_value(words[i], a, span, last);
}

KB_CLONES void normal_values(const DrawPlan& plan, const std::uint32_t* words, std::size_t n,
                             float* values) {
  const float mean = plan.a;
  const float deviation = plan.span;
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = portable::fma(normal_value(words[i]), deviation, mean);
  }
}

void hard_values(const DrawPlan& plan, const std::uint32_t* words, std::size_t n, float* values) {
  const bool non_negative = plan.base == 1;
  const auto fill = [&](auto value) {
    for (std::size_t i = 0; i < n; ++i) values[i] = value(words[i], non_negative);
  };
  switch (plan.kind) {
    case Draw::Kind::kWide: return fill([](auto... x) { return wide_value(x...); });
    case Draw::Kind::kSignedZeros: return fill([](auto... x) { return signed_zeros_value(x...); });
    case Draw::Kind::kDenormals: return fill([](auto... x) { return denormals_value(x...); });
    default: return fill([](auto... x) { return spikes_value(x...); });
  }
}

KB_CLONES void integer_values(const DrawPlan& plan, const std::uint32_t* words, std::size_t n,
                              std::int64_t* values) {
  const std::int64_t base = plan.base;
  const std::uint64_t count = plan.count;
  const std::int64_t step = plan.step;
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) values[i] = integer_value(words[i], base, count, step);
}

KB_CLONES void bernoulli_values(const DrawPlan& plan, const std::uint32_t* words, std::size_t n,
                                std::int64_t* values) {
  const std::uint64_t threshold = plan.count;
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) values[i] = bernoulli_value(words[i], threshold);
}

KB_CLONES static void store_half(const float* values, std::size_t n, Half* to) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) to[i] = to_half(values[i]);
}

KB_CLONES static void store_bfloat16(const float* values, std::size_t n, BFloat16* to) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) to[i] = to_bfloat16(values[i]);
}

namespace {

template <class To, class From>
void convert(const From* values, std::size_t n, std::byte* destination) {
  auto* to = reinterpret_cast<To*>(destination);
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<To>(values[i]);
}

}  // namespace

void store_floats(DType dtype, const float* values, std::size_t n, std::byte* destination) {
  switch (dtype) {
    case DType::kFloat64: return convert<double>(values, n, destination);
    case DType::kFloat16: return store_half(values, n, reinterpret_cast<Half*>(destination));
    case DType::kBFloat16:
      return store_bfloat16(values, n, reinterpret_cast<BFloat16*>(destination));
    default: std::memcpy(destination, values, n * sizeof(float));
  }
}

void store_integers(DType dtype, const std::int64_t* values, std::size_t n,
                    std::byte* destination) {
  std::array<float, kBatch> floats;
  switch (dtype) {
    case DType::kInt64: return convert<std::int64_t>(values, n, destination);
    case DType::kInt32: return convert<std::int32_t>(values, n, destination);
    case DType::kInt16: return convert<std::int16_t>(values, n, destination);
    case DType::kInt8: return convert<std::int8_t>(values, n, destination);
    case DType::kUInt8:
    case DType::kBool: return convert<std::uint8_t>(values, n, destination);
    default:
      convert<float>(values, n, reinterpret_cast<std::byte*>(floats.data()));
      return store_floats(dtype, floats.data(), n, destination);
  }
}

}  // namespace kbench::cpu
