#include <algorithm>

#include "runner/backend/cuda/check.hpp"
#include "runner/backend/cuda/integrity.hpp"

namespace kbench::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kVector = sizeof(uint4);

__device__ bool all_poison(const uint4& v) { return (v.x & v.y & v.z & v.w) == 0xFFFFFFFFu; }

__device__ bool equal(const uint4& a, const uint4& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

// The region is cut into vectors at multiples of 16; those at its ends are looked at bytewise.
__global__ void unpoisoned(const unsigned char* data, std::uint64_t bytes,
                           unsigned long long* counter) {
  const std::uint64_t skew = reinterpret_cast<std::uint64_t>(data) % kVector;
  const unsigned char* base = data - skew;  // never read before `data`
  const std::uint64_t end = skew + bytes;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x * kVector;
  unsigned long long found = 0;
  for (std::uint64_t at = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kVector;
       at < end; at += step) {
    const std::uint64_t stop = at + kVector;
    if (at >= skew && stop <= end && all_poison(*reinterpret_cast<const uint4*>(base + at)))
      continue;
    for (std::uint64_t i = at < skew ? skew : at; i < stop && i < end; ++i)
      found += base[i] != 0xFF ? 1 : 0;
  }
  if (found > 0) atomicAdd(counter, found);
}

__device__ unsigned count_bytes(const uint4& a, const uint4& b) {
  const auto* x = reinterpret_cast<const unsigned char*>(&a);
  const auto* y = reinterpret_cast<const unsigned char*>(&b);
  unsigned found = 0;
  for (unsigned i = 0; i < kVector; ++i) found += x[i] != y[i] ? 1 : 0;
  return found;
}

// A thread makes several loads at once, or they would wait for memory one by one.
__global__ void differing(const unsigned char* a, const unsigned char* b, std::uint64_t bytes,
                          unsigned long long* counter) {
  constexpr int kAtOnce = 4;
  const std::uint64_t vectors = bytes / kVector;
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto* left = reinterpret_cast<const uint4*>(a);
  const auto* right = reinterpret_cast<const uint4*>(b);
  unsigned long long found = 0;
  std::uint64_t i = first;
  for (; i + (kAtOnce - 1) * threads < vectors; i += kAtOnce * threads) {
    uint4 x[kAtOnce];
    uint4 y[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      x[k] = left[i + static_cast<std::uint64_t>(k) * threads];
      y[k] = right[i + static_cast<std::uint64_t>(k) * threads];
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
      if (!equal(x[k], y[k])) found += count_bytes(x[k], y[k]);
  }
  for (; i < vectors; i += threads)
    if (!equal(left[i], right[i])) found += count_bytes(left[i], right[i]);
  if (first == 0)
    for (std::uint64_t at = vectors * kVector; at < bytes; ++at) found += a[at] != b[at] ? 1 : 0;
  if (found > 0) atomicAdd(counter, found);
}

unsigned blocks_for(std::uint64_t bytes, unsigned most) {
  const std::uint64_t needed = bytes / (kThreads * kVector) + 1;
  return static_cast<unsigned>(std::min<std::uint64_t>(most, needed));
}

}  // namespace

Status count_unpoisoned(const void* data, std::uint64_t bytes, unsigned blocks,
                        unsigned long long* counter) {
  if (bytes == 0) return Done{};
  return launch("redzone kernel", unpoisoned, blocks_for(bytes, blocks), kThreads,
                static_cast<const unsigned char*>(data), bytes, counter);
}

Status count_differing(const void* a, const void* b, std::uint64_t bytes, unsigned blocks,
                       unsigned long long* counter) {
  if (bytes == 0) return Done{};
  return launch("mutation kernel", differing, blocks_for(bytes, blocks), kThreads,
                static_cast<const unsigned char*>(a), static_cast<const unsigned char*>(b), bytes,
                counter);
}

}  // namespace kbench::cuda
