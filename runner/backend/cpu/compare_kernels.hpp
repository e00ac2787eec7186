// The inner loops of the CPU's comparison, vectorised: widening and judging batches that stay in
// the first-level cache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runner/backend/compare_rules.hpp"

namespace kbench::cpu {

inline constexpr std::size_t kCompareBatch = 1024;

struct BatchErrors {
  std::uint64_t wrong = 0;
  double max_error = -1;  // negative: no pair of finite values
  double sum_squared_error = 0;
  double sum_squared_reference = 0;
};

// Elements as float64, exactly (int64 beyond 2^53: rounded).
void widen(DType dtype, const std::byte* source, std::size_t n, double* values);
// Integers and booleans as int64.
void widen_integers(DType dtype, const std::byte* source, std::size_t n, std::int64_t* values);

[[nodiscard]] BatchErrors judge_batch(const ErrorBound& bound, const double* got,
                                      const double* reference, std::size_t n);
[[nodiscard]] std::uint64_t count_different(const std::int64_t* a, const std::int64_t* b,
                                            std::size_t n);

}  // namespace kbench::cpu
