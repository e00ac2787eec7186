// The widest float vector of the machine the submission is compiled for, as a GCC vector extension:
// arithmetic and comparisons work lane by lane, a plain float operand is broadcast. Every CPU
// example is written with it, so the same source becomes AVX-512, AVX2 or NEON code. Shared by all
// headers.
#pragma once

#include <cstdint>
#include <cstring>

namespace example {

#if defined(__AVX512F__)
inline constexpr long kLanes = 16;
inline constexpr int kVectorRegisters = 32;
#elif defined(__AVX__)
inline constexpr long kLanes = 8;
inline constexpr int kVectorRegisters = 16;
#else
inline constexpr long kLanes = 4;
inline constexpr int kVectorRegisters = 16;
#endif

typedef float Vec __attribute__((vector_size(kLanes * sizeof(float))));
typedef std::int32_t IntVec __attribute__((vector_size(kLanes * sizeof(float))));

inline Vec load(const float* source) {
  Vec value;
  std::memcpy(&value, source, sizeof value);
  return value;
}

inline void store(float* destination, Vec value) { std::memcpy(destination, &value, sizeof value); }

// Subtracting zero leaves every value as it is, also -0, so the compiler drops it.
inline Vec broadcast(float value) { return value - Vec{}; }

// The comparisons are written so that a NaN in `a` comes through.
inline Vec max(Vec a, Vec b) { return a < b ? b : a; }
inline Vec min(Vec a, Vec b) { return a > b ? b : a; }
inline Vec relu(Vec a) { return a < 0.0f ? Vec{} : a; }

// Loads the first `count` (< kLanes) values and fills the other lanes with `fill`.
inline Vec load_partial(const float* source, long count, float fill) {
  Vec value = broadcast(fill);
  std::memcpy(&value, source, static_cast<std::size_t>(count) * sizeof(float));
  return value;
}

inline void store_partial(float* destination, Vec value, long count) {
  std::memcpy(destination, &value, static_cast<std::size_t>(count) * sizeof(float));
}

inline float horizontal_sum(Vec value) {
  float lanes[kLanes];
  store(lanes, value);
  for (long width = kLanes / 2; width > 0; width /= 2) {
    for (long i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

inline float horizontal_max(Vec value) {
  float lanes[kLanes];
  store(lanes, value);
  float largest = lanes[0];
  for (long i = 1; i < kLanes; ++i) largest = largest < lanes[i] ? lanes[i] : largest;
  return largest;
}

// Stores past the cache: for outputs that are written once and are too large to be read back from
// it, it saves reading the line first. `destination` must be aligned to a whole vector.
inline void store_streaming(float* destination, Vec value) {
#if defined(__AVX512F__)
  __builtin_ia32_movntps512(destination, value);
#elif defined(__AVX__)
  __builtin_ia32_movntps256(destination, value);
#else
  store(destination, value);
#endif
}

// Orders streaming stores before whatever tells other threads that they are done.
inline void streaming_fence() {
#if defined(__SSE__)
  __builtin_ia32_sfence();
#endif
}

}  // namespace example
