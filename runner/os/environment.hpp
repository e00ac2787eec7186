// Our own environment, and what programs get of it.
#pragma once

#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// Empty where it is not set.
[[nodiscard]] inline std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// For a program that we start, "NAME=value" each: ours, without those that begin with one of
// `dropped` ("OMP_", "TMPDIR="), and `set`, in the place of ours of those names.
[[nodiscard]] std::vector<std::string> inherited_environment(
    std::span<const std::string_view> dropped, const std::map<std::string, std::string>& set);

}  // namespace kbench
