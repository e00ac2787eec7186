// SHA-256 of text and files, in lower-case hex: names of cached builds and fingerprints of sources.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runner/core/result.hpp"

namespace kbench {

[[nodiscard]] std::string sha256(std::string_view bytes);
[[nodiscard]] Result<std::string> sha256_file(const std::filesystem::path& file);

}  // namespace kbench
