#include "runner/measure/secret.hpp"

#include <sys/random.h>

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"

namespace kbench {
namespace {

std::string random_hex(std::size_t bytes) {
  std::array<std::uint8_t, 32> buffer{};
  const auto part = std::span(buffer).first(bytes);
  // Up to 256 bytes come whole once the kernel's generator is seeded.
  if (::getrandom(part.data(), part.size(), 0) != static_cast<ssize_t>(part.size()))
    throw std::runtime_error("the kernel gave no random bytes");
  std::string hex;
  for (const std::uint8_t byte : part) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace

std::string random_seed() { return random_hex(32); }

std::string random_id() { return random_hex(16); }

std::uint64_t KeySchedule::key(std::string_view purpose, std::uint64_t index) const {
  const std::string digest = sha256(fmt::format("{}/{}/{}", seed_, purpose, index));
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

}  // namespace kbench
