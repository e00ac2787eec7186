#include "runner/core/sha256.hpp"

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>

#include <sha2.h>

namespace kbench {

std::string sha256(std::string_view bytes) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> hex{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), hex.data());
  return hex.data();
}

Result<std::string> sha256_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{ErrorCode::kNotFound, "cannot read " + file.string(), ""};
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  return sha256(bytes);
}

}  // namespace kbench
