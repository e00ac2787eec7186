// A copy that leaves what it wrote in memory, not in the caches: whoever reads it next, on
// whichever core, finds it as cold as after a flush.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kbench::cpu {

// `destination` is a multiple of 16, as all buffers of ours are.
inline void stream_copy(std::byte* destination, const std::byte* source, std::uint64_t bytes) {
  const std::uint64_t whole = bytes / sizeof(__m128i);
  auto* to = reinterpret_cast<__m128i*>(destination);
  const auto* from = reinterpret_cast<const __m128i*>(source);
  for (std::uint64_t i = 0; i < whole; ++i) _mm_stream_si128(to + i, _mm_loadu_si128(from + i));
  const std::uint64_t done = whole * sizeof(__m128i);
  if (done < bytes) std::memcpy(destination + done, source + done, bytes - done);
  _mm_sfence();
}

}  // namespace kbench::cpu
