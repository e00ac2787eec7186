#include "runner/store/rows/tag.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr std::size_t kLongestTag = 64;
constexpr std::size_t kShownOfAName = 80;

bool is_of(std::string_view text, std::string_view alphabet) {
  return text.find_first_not_of(alphabet) == std::string_view::npos;
}

bool reads_as_latest(std::string_view name) {
  constexpr std::string_view kLatest = "latest";
  return std::equal(name.begin(), name.end(), kLatest.begin(), kLatest.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

std::vector<std::string> tags_of(std::string_view run_id, const std::vector<Tag>& tags) {
  std::vector<std::string> names;
  for (const Tag& tag : tags)
    if (tag.run_id == run_id) names.push_back(tag.name);
  return names;
}

Status check_tag_name(std::string_view name) {
  const auto refused = [&](std::string_view why) -> Status {
    return Error{ErrorCode::kUsage,
                 fmt::format("\"{}\" cannot be a tag: {}", name.substr(0, kShownOfAName), why),
                 "a tag is one to 64 letters, digits, dots, dashes or underscores, say nightly-12"};
  };
  if (name.empty()) return refused("it is empty");
  if (name.size() > kLongestTag) return refused("it is too long");
  if (!is_of(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"))
    return refused("it has a character that no tag may have");
  if (is_of(name, ".")) return refused("dots alone are a folder's name");
  if (name.front() == '-') return refused("it begins like an option");
  if (is_of(name, "0123456789abcdefABCDEF")) return refused("it reads as the start of a run's id");
  if (reads_as_latest(name)) return refused("that is the newest run's name");
  return Done{};
}

}  // namespace kbench
