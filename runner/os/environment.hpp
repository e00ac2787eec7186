// Our own environment, and what programs get of it.
#pragma once

#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// A variable's value; empty where it is not set.
[[nodiscard]] inline std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Reads one environment variable; empty where it is not set. Replaced by tests.
using Environment = std::function<std::optional<std::string>(const std::string&)>;
[[nodiscard]] Environment process_environment();

// The environment for a program that we start, "NAME=value" each. It is ours, without the variables
// that begin with one of `dropped` ("OMP_", "TMPDIR="), and with those of `set` in the place of
// ours of the same names. Nothing is looked up in the working directory: see
// without_relative_paths.
[[nodiscard]] std::vector<std::string> inherited_environment(
    std::span<const std::string_view> dropped, const std::map<std::string, std::string>& set);

// The same variables, but that the search paths among them (of programs, libraries and Python's
// modules) have no relative or empty entries: these mean the working directory, where foreign files
// may lie. A search path without any other entry is left out.
[[nodiscard]] std::vector<std::string> without_relative_paths(std::vector<std::string> variables);

}  // namespace kbench
