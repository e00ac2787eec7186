#include "runner/core/random_id.hpp"

#include <sys/random.h>

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

namespace kbench {

std::string random_id() { return random_hex(16); }

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

}  // namespace kbench
