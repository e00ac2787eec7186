// A variable of our own environment.
#pragma once

#include <cstdlib>
#include <string>

namespace kbench {

// Empty where it is not set.
[[nodiscard]] inline std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace kbench
