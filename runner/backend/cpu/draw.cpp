#include "runner/backend/cpu/draw.hpp"

#include <algorithm>
#include <array>

#include "runner/backend/cpu/draw_kernels.hpp"

namespace kbench::cpu {

namespace {

// A thread's share at a time: large against the cost of handing it out, a multiple of kBatch.
constexpr std::uint64_t kChunk = 64 * kBatch;

struct Scratch {
  alignas(64) std::array<std::uint32_t, kBatch> words;
  alignas(64) std::array<float, kBatch> floats;
  alignas(64) std::array<std::int64_t, kBatch> integers;
};

void triangle_values(const DrawPlan& plan, std::uint64_t first, std::size_t n,
                     std::int64_t* values) {
  const bool lower = plan.kind == Draw::Kind::kTril;
  std::uint64_t column = first % plan.columns;
  std::uint64_t row = first / plan.columns % plan.rows;
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = triangle_value(lower, static_cast<std::int64_t>(row),
                               static_cast<std::int64_t>(column), plan.diagonal);
    if (++column == plan.columns) {
      column = 0;
      row = row + 1 == plan.rows ? 0 : row + 1;
    }
  }
}

// Writes zeros where the plan keeps nothing.
template <class T>
void cut(const DrawPlan& plan, std::uint64_t first, std::size_t n, T* values) {
  if (plan.keep == Draw::Keep::kAll) return;
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_kept(plan, first + i)) values[i] = 0;
  }
}

// Draws elements [first, first + n); `first` is a multiple of kBatch.
void draw_batch(const DrawPlan& plan, std::uint64_t first, std::size_t n, Scratch& scratch,
                std::byte* destination) {
  using Kind = Draw::Kind;
  std::uint32_t* words = scratch.words.data();
  float* floats = scratch.floats.data();
  std::int64_t* integers = scratch.integers.data();
  const bool fixed = plan.kind == Kind::kTril || plan.kind == Kind::kTriu ||
                     plan.kind == Kind::kConstant || plan.kind == Kind::kData;
  if (!fixed) philox_words(plan.stream, first / 4, (n + 3) / 4, words);
  switch (plan.kind) {
    case Kind::kUniform: uniform_values(plan, words, n, floats); break;
    case Kind::kNormal: normal_values(plan, words, n, floats); break;
    case Kind::kIntegers: integer_values(plan, words, n, integers); break;
    case Kind::kBernoulli: bernoulli_values(plan, words, n, integers); break;
    case Kind::kTril:
    case Kind::kTriu: triangle_values(plan, first, n, integers); break;
    case Kind::kConstant:
      std::fill_n(floats, n, plan.a);
      std::fill_n(integers, n, plan.base);
      break;
    case Kind::kWide:
    case Kind::kSignedZeros:
    case Kind::kDenormals:
    case Kind::kSpikes: hard_values(plan, words, n, floats); break;
    case Kind::kData: return;
  }
  if (is_made_as_float(plan.kind, plan.dtype)) {
    cut(plan, first, n, floats);
    store_floats(plan.dtype, floats, n, destination);
  } else {
    cut(plan, first, n, integers);
    store_integers(plan.dtype, integers, n, destination);
  }
}

}  // namespace

void draw(const DrawPlan& plan, int threads, std::byte* destination) {
  const std::size_t size = size_of(plan.dtype);
  const auto chunks = static_cast<std::int64_t>((plan.elements + kChunk - 1) / kChunk);
#pragma omp parallel for num_threads(threads) schedule(static) if (chunks > 1)
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    Scratch scratch;
    const std::uint64_t begin = static_cast<std::uint64_t>(chunk) * kChunk;
    const std::uint64_t end = std::min(plan.elements, begin + kChunk);
    for (std::uint64_t first = begin; first < end; first += kBatch) {
      const std::size_t n = std::min<std::uint64_t>(kBatch, end - first);
      draw_batch(plan, first, n, scratch, destination + first * size);
    }
  }
}

}  // namespace kbench::cpu
