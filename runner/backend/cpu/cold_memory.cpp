#include "runner/backend/cpu/cold_memory.hpp"

#include <emmintrin.h>
#include <immintrin.h>

#include <cstring>

namespace kbench::cpu {
namespace {

constexpr std::uintptr_t kLine = 64;  // cache line of every x86-64 processor so far

std::uintptr_t line_of(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) / kLine * kLine;
}

void evict_one_by_one(const void* memory, std::uint64_t bytes) {
  const auto end = reinterpret_cast<std::uintptr_t>(memory) + bytes;
  for (std::uintptr_t line = line_of(memory); line < end; line += kLine)
    _mm_clflush(reinterpret_cast<void*>(line));
}

// Without waiting for each line, which not every processor can.
__attribute__((target("clflushopt"))) void evict_at_once(const void* memory, std::uint64_t bytes) {
  const auto end = reinterpret_cast<std::uintptr_t>(memory) + bytes;
  for (std::uintptr_t line = line_of(memory); line < end; line += kLine)
    _mm_clflushopt(reinterpret_cast<void*>(line));
}

}  // namespace

void copy_cold(std::byte* destination, const std::byte* source, std::uint64_t bytes) {
  const std::uint64_t whole = bytes / sizeof(__m128i);
  auto* to = reinterpret_cast<__m128i*>(destination);
  const auto* from = reinterpret_cast<const __m128i*>(source);
  for (std::uint64_t i = 0; i < whole; ++i) _mm_stream_si128(to + i, _mm_loadu_si128(from + i));
  const std::uint64_t done = whole * sizeof(__m128i);
  if (done < bytes) std::memcpy(destination + done, source + done, bytes - done);
  _mm_sfence();
}

void fill_cold(std::byte* destination, std::uint8_t value, std::uint64_t bytes) {
  const std::uint64_t whole = bytes / sizeof(__m128i);
  auto* to = reinterpret_cast<__m128i*>(destination);
  const __m128i values = _mm_set1_epi8(static_cast<char>(value));
  for (std::uint64_t i = 0; i < whole; ++i) _mm_stream_si128(to + i, values);
  const std::uint64_t done = whole * sizeof(__m128i);
  if (done < bytes) std::memset(destination + done, value, bytes - done);
  _mm_sfence();
}

void evict(const void* memory, std::uint64_t bytes) {
  if (bytes == 0) return;
  const auto evict_lines = __builtin_cpu_supports("clflushopt") ? evict_at_once : evict_one_by_one;
  evict_lines(memory, bytes);
  _mm_mfence();
}

}  // namespace kbench::cpu
