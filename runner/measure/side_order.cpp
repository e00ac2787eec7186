#include "runner/measure/side_order.hpp"

#include <utility>

namespace kbench {

std::vector<Side> shuffled(std::vector<Side> sides, std::uint64_t key) {
  // At most four sides: 64 bits leave no noticeable bias in three small remainders.
  for (std::size_t i = sides.size(); i > 1; --i) {
    const auto j = static_cast<std::size_t>(key % i);
    key /= i;
    std::swap(sides[i - 1], sides[j]);
  }
  return sides;
}

}  // namespace kbench
