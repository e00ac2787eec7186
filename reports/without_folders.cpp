#include "reports/without_folders.hpp"

#include <algorithm>

namespace kbench {
namespace {

constexpr std::string_view kBefore = " \t\n\"'`=(,;:[<|";
constexpr std::string_view kAfter = " \t\n\"'`),;:]>|";

// How a path begins that leads out of the working directory; 0 where none does.
bool begins_path(std::string_view text) {
  if (text.starts_with("~/") || text.starts_with("../")) return true;
  if (!text.starts_with("/") || text.size() < 2) return false;
  return text[1] != '/' && kAfter.find(text[1]) == kAfter.npos;
}

std::string_view last_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::string without_folders(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const bool apart = at == 0 || kBefore.find(text[at - 1]) != kBefore.npos;
    if (!apart || !begins_path(text.substr(at))) {
      made += text[at++];
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(kAfter, at), text.size());
    made += last_name(text.substr(at, end - at));
    at = end;
  }
  return made;
}

}  // namespace kbench
