// Writes a report where the user asked for it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// Writes a file through a neighbour that is renamed: a reader sees the old file or the whole new
// one. A pipe or a device is written to as it is. Errors: kInfrastructure with the system's reason.
[[nodiscard]] Status write_output_file(const std::filesystem::path& file, const std::string& text);

// Appends text to a file, which is made where it is missing.
[[nodiscard]] Status append_to_file(const std::filesystem::path& file, const std::string& text);

// Writes all of the text, and flushes. Errors: kInfrastructure with the system's reason.
[[nodiscard]] Status write_standard_output(const std::string& text);

// Writes several files in one folder, which is made where it is missing. Errors: kUsage.
[[nodiscard]] Status write_output_files(
    const std::filesystem::path& folder,
    const std::vector<std::pair<std::string, std::string>>& names_and_texts);

}  // namespace kbench
