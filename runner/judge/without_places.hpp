// A message that strangers may read.
#pragma once

#include <filesystem>
#include <string>

namespace kbench {

// The message without the places of files below that folder; of each its name is left.
[[nodiscard]] std::string without_places(std::string message, const std::filesystem::path& folder);

}  // namespace kbench
