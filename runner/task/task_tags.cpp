#include "runner/task/task_tags.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/for_each_index.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/core/suggest.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/task/family.hpp"
#include "runner/task/json_picker.hpp"

namespace kbench {
namespace {

// Picks the values of all keys "op" out of a task file: the operators of its graphs.
class OperatorReader final : public JsonPicker {
 public:
  bool key(string_t& name) override {
    is_operator_ = name == "op";
    return true;
  }
  bool string(string_t& text) override {
    if (std::exchange(is_operator_, false)) operators_.push_back(text);
    return true;
  }

  [[nodiscard]] const std::vector<std::string>& operators() const { return operators_; }

 private:
  bool is_operator_ = false;
  std::vector<std::string> operators_;
};

std::vector<std::string> known_tags() {
  const auto families = all_families();
  return {families.begin(), families.end()};
}

}  // namespace

std::vector<std::string> tags_of(const TaskEntry& entry) {
  const auto text = read_bounded_file(entry.file, JsonLimits{}.max_bytes);
  OperatorReader reader;
  const bool whole = text && Json::sax_parse(*text, &reader);
  return families_of(entry.id, whole ? reader.operators() : std::vector<std::string>{});
}

std::vector<std::vector<std::string>> tags_of_each(const std::vector<TaskEntry>& entries) {
  constexpr int kMostThreads = 8;
  std::vector<std::vector<std::string>> tags(entries.size());
  for_each_index(entries.size(), std::min(usable_threads(), kMostThreads),
                 [&](std::size_t i) { tags[i] = tags_of(entries[i]); });
  return tags;
}

Result<std::vector<TaskEntry>> with_tags(std::vector<TaskEntry> entries,
                                         const std::vector<std::string>& tags) {
  const auto known = known_tags();
  for (const std::string& tag : tags) {
    if (std::find(known.begin(), known.end(), tag) != known.end()) continue;
    const auto guess = nearest(tag, known);
    return Error{ErrorCode::kNotFound, fmt::format("no task has the tag \"{}\"", tag),
                 guess ? fmt::format("did you mean \"{}\"?", *guess)
                       : fmt::format("tags are {}", fmt::join(known, ", "))};
  }
  if (tags.empty()) return entries;
  std::erase_if(entries, [&](const TaskEntry& entry) {
    const auto has = tags_of(entry);
    return std::find_first_of(has.begin(), has.end(), tags.begin(), tags.end()) == has.end();
  });
  return entries;
}

}  // namespace kbench
