#include "runner/os/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

namespace kbench {
namespace {

constexpr std::array<std::string_view, 6> kSearchPaths{"PATH",     "LD_LIBRARY_PATH", "LD_PRELOAD",
                                                       "LD_AUDIT", "PYTHONPATH",      "PYTHONHOME"};

bool is_search_path(std::string_view name) {
  return std::find(kSearchPaths.begin(), kSearchPaths.end(), name) != kSearchPaths.end();
}

// Preloaded libraries are separated by spaces as well, and a name without a slash is looked up.
bool stays(std::string_view name, std::string_view entry) {
  const bool is_looked_up = name.starts_with("LD_PRELOAD") || name.starts_with("LD_AUDIT");
  return entry.starts_with('/') ||
         (is_looked_up && !entry.empty() && entry.find('/') == std::string_view::npos);
}

// The variable with the entries that stay; nothing without any.
std::optional<std::string> absolute_entries(const std::string& variable) {
  const std::size_t equals = variable.find('=');
  const std::string_view name = std::string_view(variable).substr(0, equals);
  if (equals == std::string::npos || !is_search_path(name)) return variable;
  const std::string_view separators = name.starts_with("LD_") ? ":; " : ":";
  std::string kept;
  for (std::size_t begin = equals + 1; begin <= variable.size();) {
    const std::size_t end = std::min(variable.find_first_of(separators, begin), variable.size());
    const std::string_view entry = std::string_view(variable).substr(begin, end - begin);
    if (stays(name, entry)) kept.append(kept.empty() ? "" : ":").append(entry);
    begin = end + 1;
  }
  if (kept.empty()) return std::nullopt;
  return std::string(name) + "=" + kept;
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

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
  return without_relative_paths(std::move(result));
}

std::vector<std::string> without_relative_paths(std::vector<std::string> variables) {
  std::vector<std::string> result;
  for (const std::string& variable : variables)
    if (auto kept = absolute_entries(variable)) result.push_back(std::move(*kept));
  return result;
}

}  // namespace kbench
