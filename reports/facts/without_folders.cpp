#include "reports/facts/without_folders.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kbench {
namespace {

constexpr std::string_view kBefore = " \t\n\"'`=(,;:[<|";
constexpr std::string_view kAfter = " \t\n\"'`),;:]>|";

// Whether a path begins there that leads out of the working directory.
bool begins_path(std::string_view text) {
  if (text.starts_with("~/") || text.starts_with("../")) return true;
  if (!text.starts_with("/") || text.size() < 2) return false;
  return text[1] != '/' && kAfter.find(text[1]) == kAfter.npos;
}

// "</b>", and no path in angle brackets, which has folders.
bool is_closing_tag(std::string_view path, char before, char after) {
  return before == '<' && after == '>' && path.find('/', 1) == path.npos;
}

std::string_view last_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

// Folders that every machine has: what lies in them itself tells of no machine, and a message about
// /tmp/x means no relative path.
bool lies_in_everybodys_folder(std::string_view path) {
  constexpr std::array<std::string_view, 5> kFolders{"/tmp", "/var/tmp", "/dev", "/dev/shm",
                                                     "/etc"};
  const std::string_view folder = path.substr(0, path.rfind('/'));
  return std::find(kFolders.begin(), kFolders.end(), folder) != kFolders.end();
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
    const std::string_view path = text.substr(at, end - at);
    const bool is_tag =
        at > 0 && end < text.size() && is_closing_tag(path, text[at - 1], text[end]);
    made += is_tag || lies_in_everybodys_folder(path) ? path : last_name(path);
    at = end;
  }
  return made;
}

Json without_folders_within(Json json) {
  if (json.is_string()) return without_folders(json.get_ref<const std::string&>());
  if (json.is_structured())
    for (auto& part : json) part = without_folders_within(std::move(part));
  return json;
}

}  // namespace kbench
