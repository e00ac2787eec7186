#include "runner/measure/secret.hpp"

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

}  // namespace kbench
