#include "runner/os/environment.hpp"

#include <unistd.h>

#include <algorithm>

namespace kbench {

std::vector<std::string> inherited_environment(std::span<const std::string_view> dropped,
                                               const std::map<std::string, std::string>& set) {
  std::vector<std::string> result;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const bool is_dropped = std::any_of(dropped.begin(), dropped.end(),
                                        [&](auto prefix) { return text.starts_with(prefix); });
    if (!is_dropped && !set.contains(std::string(text.substr(0, text.find('=')))))
      result.emplace_back(text);
  }
  for (const auto& [name, value] : set) result.push_back(name + "=" + value);
  return result;
}

}  // namespace kbench
