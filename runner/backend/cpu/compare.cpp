#include "runner/backend/cpu/compare.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "runner/backend/compare_rules.hpp"
#include "runner/backend/cpu/compare_kernels.hpp"

namespace kbench::cpu {

namespace {

constexpr std::uint64_t kChunk = 64 * kCompareBatch;

// One comparison over raw memory; all positions are element indices.
class Comparison {
 public:
  Comparison(const CompareRequest& request, CompareKind kind)
      : request_(request),
        exact_(kind == CompareKind::kExact),
        bound_{request.absolute_bound, request.ulp_factor, request.rms, request.relative_bound,
               request.scaled_bound},
        got_size_(size_of(request.got_dtype)),
        reference_size_(size_of(request.reference_dtype)) {}

  [[nodiscard]] BatchErrors chunk(std::uint64_t begin, std::uint64_t end) const {
    BatchErrors sum;
    Scratch scratch;
    for (std::uint64_t first = begin; first < end; first += kCompareBatch) {
      const std::size_t n = std::min<std::uint64_t>(kCompareBatch, end - first);
      const Pair pair = load(first, n, scratch);
      BatchErrors batch = judge_batch(bound_, pair.got, pair.reference, n);
      if (exact_) batch.wrong = different(first, n);
      sum.wrong += batch.wrong;
      sum.max_error = std::max(sum.max_error, batch.max_error);
      sum.sum_squared_error += batch.sum_squared_error;
      sum.sum_squared_reference += batch.sum_squared_reference;
    }
    return sum;
  }

  // The vector loops count only; where it was is looked up afterwards in the one chunk it is in.
  void find_first_wrong(std::uint64_t begin, std::uint64_t end, CompareResult& result) const {
    for (std::uint64_t i = begin; i < end; ++i) {
      const auto [got, reference] = values(i);
      if (!(exact_ ? different(i, 1) != 0 : judge(bound_, got, reference).wrong)) continue;
      result.first_wrong = i;
      result.first_wrong_got = got;
      result.first_wrong_reference = reference;
      return;
    }
  }

  void find_tolerance(std::uint64_t begin, std::uint64_t end, CompareResult& result) const {
    for (std::uint64_t i = begin; i < end && !exact_; ++i) {
      const auto [got, reference] = values(i);
      const ElementError element = judge(bound_, got, reference);
      if (!element.finite || element.error != result.max_error) continue;
      result.tolerance_at_max = allowed_error(bound_, reference);
      return;
    }
  }

 private:
  struct Scratch {
    alignas(64) std::array<double, kCompareBatch> got;
    alignas(64) std::array<double, kCompareBatch> reference;
  };
  struct Pair {
    const double* got;
    const double* reference;
  };
  struct Values {
    double got;
    double reference;
  };

  [[nodiscard]] const std::byte* got(std::uint64_t i) const {
    return static_cast<const std::byte*>(request_.got) + i * got_size_;
  }
  [[nodiscard]] const std::byte* reference(std::uint64_t i) const {
    return static_cast<const std::byte*>(request_.reference) + i * reference_size_;
  }

  [[nodiscard]] Pair load(std::uint64_t first, std::size_t n, Scratch& scratch) const {
    Pair pair{scratch.got.data(), scratch.reference.data()};
    if (request_.got_dtype == DType::kFloat64) {
      pair.got = reinterpret_cast<const double*>(got(first));
    } else {
      widen(request_.got_dtype, got(first), n, scratch.got.data());
    }
    if (request_.reference_dtype == DType::kFloat64) {
      pair.reference = reinterpret_cast<const double*>(reference(first));
    } else {
      widen(request_.reference_dtype, reference(first), n, scratch.reference.data());
    }
    return pair;
  }

  [[nodiscard]] Values values(std::uint64_t i) const {
    Values pair{};
    widen(request_.got_dtype, got(i), 1, &pair.got);
    widen(request_.reference_dtype, reference(i), 1, &pair.reference);
    return pair;
  }

  [[nodiscard]] std::uint64_t different(std::uint64_t first, std::size_t n) const {
    std::array<std::int64_t, kCompareBatch> a;
    std::array<std::int64_t, kCompareBatch> b;
    widen_integers(request_.got_dtype, got(first), n, a.data());
    widen_integers(request_.reference_dtype, reference(first), n, b.data());
    return count_different(a.data(), b.data(), n);
  }

  CompareRequest request_;
  bool exact_;
  ErrorBound bound_;
  std::size_t got_size_;
  std::size_t reference_size_;
};

}  // namespace

Result<CompareResult> compare(const CompareRequest& request, int threads) {
  const auto kind = classify(request);
  if (!kind) return kind.error();
  const Comparison comparison(request, *kind);
  const auto chunks = static_cast<std::int64_t>((request.elements + kChunk - 1) / kChunk);
  const auto begin_of = [](std::size_t chunk) { return chunk * kChunk; };
  const auto end_of = [&](std::size_t chunk) {
    return std::min(request.elements, (chunk + 1) * kChunk);
  };
  std::vector<BatchErrors> parts(static_cast<std::size_t>(chunks));
#pragma omp parallel for num_threads(threads) schedule(static) if (chunks > 1)
  for (std::int64_t i = 0; i < chunks; ++i) {
    const auto chunk = static_cast<std::size_t>(i);
    parts[chunk] = comparison.chunk(begin_of(chunk), end_of(chunk));
  }

  CompareResult result;
  result.max_error = -1;
  std::size_t largest = 0;
  std::size_t first_wrong = 0;
  for (std::size_t chunk = 0; chunk < parts.size(); ++chunk) {
    const BatchErrors& part = parts[chunk];
    if (result.wrong == 0 && part.wrong != 0) first_wrong = chunk;
    if (part.max_error > result.max_error) {
      result.max_error = part.max_error;
      largest = chunk;
    }
    result.wrong += part.wrong;
    result.sum_squared_error += part.sum_squared_error;
    result.sum_squared_reference += part.sum_squared_reference;
  }
  if (result.wrong != 0) {
    comparison.find_first_wrong(begin_of(first_wrong), end_of(first_wrong), result);
  }
  if (result.max_error >= 0) {
    comparison.find_tolerance(begin_of(largest), end_of(largest), result);
  }
  result.max_error = std::max(result.max_error, 0.0);
  return result;
}

}  // namespace kbench::cpu
