// The agents of a database: for completing a command line, where no row is read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// Each agent that has a row, by name: foreign text. Errors: those of Store::open.
[[nodiscard]] Result<std::vector<std::string>> known_agents(const std::filesystem::path& file);

}  // namespace kbench
