#include "runner/core/hmac.hpp"

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sha2.h>

namespace kbench {
namespace {

constexpr std::size_t kBlock = SHA256_BLOCK_LENGTH;
using Block = std::array<std::uint8_t, kBlock>;
using Digest = std::array<std::uint8_t, SHA256_DIGEST_LENGTH>;

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

Digest hash(const Block& first, const std::uint8_t* rest, std::size_t count) {
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, first.data(), first.size());
  SHA256Update(&context, rest, count);
  Digest digest{};
  SHA256Final(digest.data(), &context);
  return digest;
}

// A key longer than a block stands for its own hash.
Block block_of(std::string_view key) {
  Block block{};
  if (key.size() <= kBlock) {
    std::copy_n(bytes_of(key), key.size(), block.begin());
    return block;
  }
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, bytes_of(key), key.size());
  SHA256Final(block.data(), &context);
  return block;
}

Block padded(Block key, std::uint8_t pad) {
  for (std::uint8_t& byte : key) byte = static_cast<std::uint8_t>(byte ^ pad);
  return key;
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view message) {
  const Block block = block_of(key);
  const Digest inner = hash(padded(block, 0x36), bytes_of(message), message.size());
  const Digest outer = hash(padded(block, 0x5c), inner.data(), inner.size());
  return fmt::format("{:02x}", fmt::join(outer, ""));
}

}  // namespace kbench
