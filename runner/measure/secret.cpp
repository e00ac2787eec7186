#include "runner/measure/secret.hpp"

#include <utility>

#include <fmt/format.h>

#include "runner/core/random_id.hpp"
#include "runner/core/sha256.hpp"

namespace kbench {

std::string random_seed() { return random_hex(32); }

std::string known_seed(std::int64_t chosen, std::string_view what) {
  return sha256(fmt::format("seed {} of {}", chosen, what));
}

std::uint64_t KeySchedule::key(std::string_view purpose, std::uint64_t index) const {
  const std::string digest = sha256(fmt::format("{}/{}/{}", seed_, purpose, index));
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

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
