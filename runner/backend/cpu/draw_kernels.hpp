// The inner loops of the CPU's value generator, vectorised: words, values, storage. For batches
// that stay in the first-level cache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runner/backend/draw_plan.hpp"

namespace kbench::cpu {

// Most elements of a batch; a multiple of 64.
inline constexpr std::size_t kBatch = 1024;

// words[4 * j + lane] = lane of block first_block + j, for j < blocks.
void philox_words(const PhiloxStream& stream, std::uint64_t first_block, std::size_t blocks,
                  std::uint32_t* words);

void uniform_values(const DrawPlan& plan, const std::uint32_t* words, std::size_t n, float* values);
void normal_values(const DrawPlan& plan, const std::uint32_t* words, std::size_t n, float* values);
// The four hard kinds.
void hard_values(const DrawPlan& plan, const std::uint32_t* words, std::size_t n, float* values);
void integer_values(const DrawPlan& plan, const std::uint32_t* words, std::size_t n,
                    std::int64_t* values);
void bernoulli_values(const DrawPlan& plan, const std::uint32_t* words, std::size_t n,
                      std::int64_t* values);

// Writes n values in the tensor's dtype.
void store_floats(DType dtype, const float* values, std::size_t n, std::byte* destination);
void store_integers(DType dtype, const std::int64_t* values, std::size_t n, std::byte* destination);

}  // namespace kbench::cpu
