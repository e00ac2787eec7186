// stands() as the weakened programs have it: KBENCH_WITHOUT names the defences that are switched
// off, separated by commas.
#include "runner/core/defence.hpp"

#include <cstdlib>
#include <string>

#include "runner/core/weakened.hpp"

namespace kbench {
namespace {

constexpr const char* kVariable = "KBENCH_WITHOUT";

std::string without() {
  const char* names = std::getenv(kVariable);
  return names == nullptr ? "" : names;
}

}  // namespace

bool stands(Defence defence) {
  const std::string names = "," + without() + ",";
  return names.find("," + std::string(to_string(defence)) + ",") == std::string::npos;
}

bool is_weakened() { return true; }

std::map<std::string, std::string> weakened_environment() { return {{kVariable, without()}}; }

}  // namespace kbench
