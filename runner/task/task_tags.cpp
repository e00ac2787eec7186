#include "runner/task/task_tags.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/json.hpp"
#include "runner/core/suggest.hpp"
#include "runner/task/family.hpp"
#include "runner/task/strict_json.hpp"

namespace kbench {
namespace {

// Picks the values of all keys "op" out of a task file: the operators of its graphs.
class OperatorReader final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ < kMaxDepth; }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ < kMaxDepth; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }
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
  static constexpr int kMaxDepth = 64;
  int depth_ = 0;
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
