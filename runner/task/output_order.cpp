#include "runner/task/output_order.hpp"

#include <algorithm>
#include <numeric>

namespace kbench {
namespace {

constexpr std::size_t kMostDimensions = 15;
constexpr int kBits = 4;

}  // namespace

std::optional<std::vector<std::int64_t>> outermost_first(OutputOrder order, std::size_t rank) {
  if (order == 0 || rank > kMostDimensions) return std::nullopt;
  std::vector<std::int64_t> dimensions;
  for (std::size_t i = 0; i < rank; ++i, order >>= kBits)
    dimensions.push_back(static_cast<std::int64_t>(order & 15) - 1);
  std::vector<std::int64_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  if (order != 0 || !std::is_permutation(all.begin(), all.end(), dimensions.begin()))
    return std::nullopt;
  return dimensions;
}

std::uint64_t declared_index(std::uint64_t in_memory, const std::vector<std::int64_t>& shape,
                             const std::vector<std::int64_t>& dimensions) {
  std::vector<std::uint64_t> at(shape.size());
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    const auto dimension = static_cast<std::size_t>(dimensions[i]);
    const auto extent = static_cast<std::uint64_t>(shape[dimension]);
    at[dimension] = in_memory % extent;
    in_memory /= extent;
  }
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < shape.size(); ++i)
    index = index * static_cast<std::uint64_t>(shape[i]) + at[i];
  return index;
}

}  // namespace kbench
