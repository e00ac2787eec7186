// Inductor's precompiled headers, copied between builders. Inductor keeps them below the temporary
// directory, against its own setting, and making them takes half a minute.
#pragma once

#include <filesystem>

namespace kbench {

// The folder in which that user's Inductor looks for the headers.
[[nodiscard]] std::filesystem::path inductor_headers(const std::filesystem::path& temporary,
                                                     const std::string& user);

// Copies the headers in `from` that `to` lacks: regular files alone, each whole or not at all. What
// cannot be copied is made again. Makes `to`.
void copy_headers(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace kbench
