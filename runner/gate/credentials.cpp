#include "runner/gate/credentials.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>

#include "runner/core/sha256.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostBytes = 512;

// The header's text behind the scheme, whose letters may be large or small; nothing where it is
// another scheme.
std::optional<std::string_view> after_scheme(std::string_view header, std::string_view scheme) {
  if (header.size() <= scheme.size() || header[scheme.size()] != ' ') return std::nullopt;
  for (std::size_t i = 0; i < scheme.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(header[i])) != scheme[i]) return std::nullopt;
  header.remove_prefix(scheme.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

int value_of(char c) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t at = kDigits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = value_of(c);
    if (value < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 0xffu);
  }
  return bytes;
}

std::optional<std::string> presented_token(std::string_view authorization) {
  if (authorization.size() > kMostBytes) return std::nullopt;
  if (const auto token = after_scheme(authorization, "bearer")) return std::string(*token);
  const auto basic = after_scheme(authorization, "basic");
  const auto pair = basic ? decode_base64(*basic) : std::nullopt;
  if (!pair || pair->find(':') == std::string::npos) return std::nullopt;
  return pair->substr(pair->find(':') + 1);
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different = static_cast<unsigned char>(different | (a[i] ^ b[i]));
  // The result is volatile, so that the compiler does not leave the loop early.
  const volatile unsigned char seen = different;
  return seen == 0;
}

const KnownToken* find_token(std::span<const KnownToken> tokens, std::string_view presented) {
  const std::string hash = sha256(presented);
  const KnownToken* found = nullptr;
  for (const KnownToken& token : tokens)
    if (equal_in_constant_time(token.hash, hash)) found = &token;
  return found;
}

}  // namespace kbench
