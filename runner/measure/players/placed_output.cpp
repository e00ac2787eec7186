#include "runner/measure/players/placed_output.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace kbench {
namespace {

// Largest reach of an output, as a multiple of its bytes: reading it costs as much as what lies
// between its elements does.
constexpr std::uint64_t kMostGaps = 8;
constexpr std::uint64_t kAlwaysGranted = std::uint64_t{64} << 20;
// No process has memory farther away than that.
constexpr std::int64_t kMostElementsAway = std::int64_t{1} << 44;

Error wrong(const TensorSpec& output, const std::string& what, const std::string& hint) {
  return {ErrorCode::kSubmission, fmt::format("output {} {}", output.name, what), hint};
}

// The dimensions that have more than one element, the innermost in memory first.
std::vector<std::size_t> innermost_first(const std::vector<std::int64_t>& shape,
                                         const std::vector<std::int64_t>& strides) {
  std::vector<std::size_t> dimensions;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] > 1) dimensions.push_back(i);
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
  return dimensions;
}

// The order of an output that lies in a row, in the form of runner/task/output_order.hpp.
OutputOrder order_of(const std::vector<std::size_t>& innermost, std::size_t rank) {
  if (std::is_sorted(innermost.rbegin(), innermost.rend())) return 0;
  std::vector<std::size_t> outermost;
  for (std::size_t i = 0; i < rank; ++i)  // a dimension of one element may stand anywhere
    if (std::find(innermost.begin(), innermost.end(), i) == innermost.end()) outermost.push_back(i);
  outermost.insert(outermost.end(), innermost.rbegin(), innermost.rend());
  OutputOrder order = 0;
  for (std::size_t i = rank; i > 0; --i) order = order << 4 | (outermost[i - 1] + 1);
  return order;
}

// How far apart two elements of slices may be in one dimension.
struct Steps {
  std::int64_t stride = 1;
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// Whether so many elements are a sum of such steps, the largest stride first, each larger than all
// smaller ones together.
bool can_step(std::int64_t elements, std::span<const Steps> steps) {
  if (steps.empty()) return elements == 0;
  const Steps& largest = steps.front();
  const std::int64_t below = elements / largest.stride - (elements % largest.stride < 0 ? 1 : 0);
  for (const std::int64_t count : {below, below + 1})
    if (count >= largest.least && count <= largest.most &&
        can_step(elements - count * largest.stride, steps.subspan(1)))
      return true;
  return false;
}

bool meets(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

}  // namespace

std::uint64_t PlacedOutput::address_of(std::uint64_t element,
                                       const std::vector<std::int64_t>& shape) const {
  std::uint64_t away = 0;
  for (std::size_t i = shape.size(); i > 0; --i) {
    const auto extent = static_cast<std::uint64_t>(shape[i - 1]);
    away += element % extent * static_cast<std::uint64_t>(strides[i - 1]);
    element /= extent;
  }
  return address + away * element_bytes;
}

Result<PlacedOutput> placed_output(const OutputPlace& place, const TensorSpec& output,
                                   bool may_share) {
  const std::size_t rank = output.shape.size();
  if (rank > kMaxPlacedRank) return wrong(output, "has more dimensions than can be placed", "");
  PlacedOutput placed{.address = place.address, .element_bytes = size_of(output.dtype)};
  placed.strides.assign(place.strides.begin(),
                        place.strides.begin() + static_cast<std::ptrdiff_t>(rank));
  if (output.elements() == 0) return placed;
  std::int64_t reach = 1;  // elements from the first to behind the last
  std::int64_t counted = 1;
  const std::vector<std::size_t> innermost = innermost_first(output.shape, placed.strides);
  for (const std::size_t i : innermost) {
    const std::int64_t stride = placed.strides[i];
    const std::int64_t steps = output.shape[i] - 1;
    if (stride < 0 || stride > kMostElementsAway / steps)
      return wrong(output, "lies in no memory that there can be", "return a tensor of torch's own");
    if (stride < reach && !may_share)
      return wrong(output, "lies on itself: several of its elements are one in memory",
                   "an output is written in full, as eager's is: expand(…).contiguous()");
    placed.in_a_row = placed.in_a_row && stride == counted;
    counted *= output.shape[i];
    reach += steps * stride;
    if (reach > kMostElementsAway)
      return wrong(output, "lies in no memory that there can be", "return a tensor of torch's own");
  }
  placed.bytes = static_cast<std::uint64_t>(reach) * placed.element_bytes;
  if (placed.address + placed.bytes < placed.address)
    return wrong(output, "lies in no memory that there can be", "return a tensor of torch's own");
  if (placed.bytes > kMostGaps * output.bytes() + kAlwaysGranted)
    return wrong(
        output,
        fmt::format("has {} bytes in gaps between its elements", placed.bytes - output.bytes()),
        "return it dense");
  if (placed.in_a_row) placed.order = order_of(innermost, rank);
  return placed;
}

bool overlap(const PlacedOutput& a, const std::vector<std::int64_t>& a_shape, const PlacedOutput& b,
             const std::vector<std::int64_t>& b_shape) {
  if (a.bytes == 0 || b.bytes == 0 || !meets(a.address, a.bytes, b.address, b.bytes)) return false;
  if (a.strides != b.strides || a.element_bytes != b.element_bytes) return true;
  const auto apart = static_cast<std::int64_t>(b.address - a.address);
  const auto element = static_cast<std::int64_t>(a.element_bytes);
  if (apart % element != 0) return true;
  std::vector<Steps> steps;
  for (std::size_t i = 0; i < a.strides.size(); ++i)
    if (a.strides[i] > 0 && (a_shape[i] > 1 || b_shape[i] > 1))  // the stride of one says nothing
      steps.push_back({a.strides[i], 1 - b_shape[i], a_shape[i] - 1});
  std::sort(steps.begin(), steps.end(),
            [](const Steps& x, const Steps& y) { return x.stride > y.stride; });
  return can_step(apart / element, steps);
}

}  // namespace kbench
