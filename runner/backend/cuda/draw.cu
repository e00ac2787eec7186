#include <algorithm>

#include "runner/backend/cuda/check.hpp"
#include "runner/backend/cuda/draw.hpp"
#include "runner/backend/draw_values.hpp"
#include "runner/backend/float16.hpp"

namespace kbench::cuda {

namespace {

constexpr unsigned kThreads = 256;

// Four neighbouring elements: one Philox block, stored with as few instructions as 16 bytes allow.
template <class T>
struct alignas(sizeof(T) * 4 < 16 ? sizeof(T) * 4 : 16) Quad {
  T value[4];
};

template <class T>
__device__ T as(float value) {
  return static_cast<T>(value);
}
template <>
__device__ Half as<Half>(float value) {
  return to_half(value);
}
template <>
__device__ BFloat16 as<BFloat16>(float value) {
  return to_bfloat16(value);
}

template <class T>
__device__ T as(std::int64_t value) {
  return static_cast<T>(value);
}
template <>
__device__ double as<double>(std::int64_t value) {
  return portable::to_float(value);
}
template <>
__device__ Half as<Half>(std::int64_t value) {
  return to_half(portable::to_float(value));
}
template <>
__device__ BFloat16 as<BFloat16>(std::int64_t value) {
  return to_bfloat16(portable::to_float(value));
}

// Writes zeros where the plan keeps nothing.
template <class T>
__device__ void cut(const DrawPlan& plan, std::uint64_t block, Quad<T>& quad) {
  if (plan.keep == Draw::Keep::kAll) return;
  for (int lane = 0; lane < 4; ++lane) {
    if (!is_kept(plan, 4 * block + static_cast<std::uint64_t>(lane))) {
      quad.value[lane] = as<T>(std::int64_t{0});
    }
  }
}

// Sources give the four values of one Philox block. The kind is the same for all threads.

// The most frequent draw, without a question asked: 1.60 ms for 6.4 GB on an H200, where the source
// below takes 2.29.
struct WholeUniformSource {
  DrawPlan plan;

  template <class T>
  __device__ Quad<T> quad(std::uint64_t block) const {
    Quad<T> result;
    const PhiloxBlock words = plan.stream.block(block);
#pragma unroll
    for (int lane = 0; lane < 4; ++lane)
      result.value[lane] = as<T>(uniform_value(words.lane[lane], plan.a, plan.span, plan.last));
    return result;
  }
};

struct FloatSource {
  DrawPlan plan;

  template <class T>
  __device__ Quad<T> quad(std::uint64_t block) const {
    Quad<T> result;
    if (plan.kind == Draw::Kind::kConstant) {
      for (int lane = 0; lane < 4; ++lane) result.value[lane] = as<T>(plan.a);
      return result;
    }
    const PhiloxBlock words = plan.stream.block(block);
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) result.value[lane] = as<T>(value(words.lane[lane]));
    cut(plan, block, result);
    return result;
  }

  __device__ float value(std::uint32_t word) const {
    const bool non_negative = plan.base == 1;
    switch (plan.kind) {
      case Draw::Kind::kUniform: return uniform_value(word, plan.a, plan.span, plan.last);
      case Draw::Kind::kWide: return wide_value(word, non_negative);
      case Draw::Kind::kSignedZeros: return signed_zeros_value(word, non_negative);
      case Draw::Kind::kDenormals: return denormals_value(word, non_negative);
      case Draw::Kind::kSpikes: return spikes_value(word, non_negative);
      default: return portable::fma(normal_value(word), plan.span, plan.a);
    }
  }
};

struct IntegerSource {
  DrawPlan plan;

  __device__ std::int64_t triangle(std::uint64_t element) const {
    const auto row = static_cast<std::int64_t>(element / plan.columns % plan.rows);
    const auto column = static_cast<std::int64_t>(element % plan.columns);
    return triangle_value(plan.kind == Draw::Kind::kTril, row, column, plan.diagonal);
  }

  template <class T>
  __device__ Quad<T> quad(std::uint64_t block) const {
    Quad<T> result;
    const bool random = plan.kind == Draw::Kind::kIntegers || plan.kind == Draw::Kind::kBernoulli;
    const PhiloxBlock words = random ? plan.stream.block(block) : PhiloxBlock{};
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
      std::int64_t value = plan.base;
      if (plan.kind == Draw::Kind::kIntegers) {
        value = integer_value(words.lane[lane], plan.base, plan.count, plan.step);
      } else if (plan.kind == Draw::Kind::kBernoulli) {
        value = bernoulli_value(words.lane[lane], plan.count);
      } else if (plan.kind != Draw::Kind::kConstant) {
        value = triangle(4 * block + static_cast<std::uint64_t>(lane));
      }
      result.value[lane] = as<T>(value);
    }
    cut(plan, block, result);
    return result;
  }
};

template <class T, class Source>
__global__ void __launch_bounds__(kThreads) fill(Source source, bool aligned, T* to) {
  const std::uint64_t elements = source.plan.elements;
  const std::uint64_t whole = aligned ? elements / 4 : 0;
  const std::uint64_t quads = (elements + 3) / 4;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i < whole; i += stride) reinterpret_cast<Quad<T>*>(to)[i] = source.template quad<T>(i);
  for (; i < quads; i += stride) {
    const Quad<T> quad = source.template quad<T>(i);
    for (int lane = 0; lane < 4; ++lane) {
      const std::uint64_t element = 4 * i + static_cast<std::uint64_t>(lane);
      if (element < elements) to[element] = quad.value[lane];
    }
  }
}

template <class T, class Source>
Status start(const DrawPlan& plan, unsigned blocks, void* destination) {
  const std::uint64_t quads = (plan.elements + 3) / 4;
  const std::uint64_t needed = (quads + kThreads - 1) / kThreads;
  if (needed == 0) return Done{};
  const bool aligned = reinterpret_cast<std::uintptr_t>(destination) % alignof(Quad<T>) == 0;
  return launch("draw kernel", fill<T, Source>,
                static_cast<unsigned>(std::min<std::uint64_t>(blocks, needed)), kThreads,
                Source{plan}, aligned, static_cast<T*>(destination));
}

template <class Source>
Status start_floating(const DrawPlan& plan, unsigned blocks, void* destination) {
  switch (plan.dtype) {
    case DType::kFloat64: return start<double, Source>(plan, blocks, destination);
    case DType::kFloat16: return start<Half, Source>(plan, blocks, destination);
    case DType::kBFloat16: return start<BFloat16, Source>(plan, blocks, destination);
    default: return start<float, Source>(plan, blocks, destination);
  }
}

}  // namespace

Status draw(const DrawPlan& plan, unsigned blocks, void* destination) {
  if (plan.kind == Draw::Kind::kUniform && plan.keep == Draw::Keep::kAll)
    return start_floating<WholeUniformSource>(plan, blocks, destination);
  if (is_made_as_float(plan.kind, plan.dtype))
    return start_floating<FloatSource>(plan, blocks, destination);
  switch (plan.dtype) {
    case DType::kFloat64: return start<double, IntegerSource>(plan, blocks, destination);
    case DType::kFloat32: return start<float, IntegerSource>(plan, blocks, destination);
    case DType::kFloat16: return start<Half, IntegerSource>(plan, blocks, destination);
    case DType::kBFloat16: return start<BFloat16, IntegerSource>(plan, blocks, destination);
    case DType::kInt64: return start<std::int64_t, IntegerSource>(plan, blocks, destination);
    case DType::kInt32: return start<std::int32_t, IntegerSource>(plan, blocks, destination);
    case DType::kInt16: return start<std::int16_t, IntegerSource>(plan, blocks, destination);
    case DType::kInt8: return start<std::int8_t, IntegerSource>(plan, blocks, destination);
    case DType::kUInt8:
    case DType::kBool: return start<std::uint8_t, IntegerSource>(plan, blocks, destination);
  }
  return Done{};
}

}  // namespace kbench::cuda
