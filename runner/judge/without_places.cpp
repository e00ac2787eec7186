#include "runner/judge/without_places.hpp"

#include <cstddef>

namespace kbench {

std::string without_places(std::string message, const std::filesystem::path& folder) {
  const std::string here = folder.string();
  for (std::size_t at = 0; (at = message.find(here)) != std::string::npos;) {
    // The text behind the path may hold slashes of its own.
    const std::size_t end = message.find_first_of(" \t\n:;,()\"'`", at + here.size());
    const std::size_t name = message.rfind('/', end);
    message.erase(at, name + 1 - at);
  }
  return message;
}

}  // namespace kbench
