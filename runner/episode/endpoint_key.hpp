// The key of a model's endpoint: out of a variable, which is taken out of our environment then, or
// a file that no other user may read; never from the command line, and kept nowhere.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runner/core/result.hpp"

namespace kbench {

// The key of the endpoint; empty where neither a variable nor a file is named. Errors: kUsage: both
// are, the variable is empty, the file is no regular one of ours with mode 0600, or what it holds
// is no key.
[[nodiscard]] Result<std::string> read_endpoint_key(
    const std::optional<std::string>& variable, const std::optional<std::filesystem::path>& file);

}  // namespace kbench
