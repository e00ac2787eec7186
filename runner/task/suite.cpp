#include "runner/task/suite.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/core/suggest.hpp"
#include "runner/task/json_picker.hpp"
#include "runner/task/task.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// The head of a task file is a few hundred bytes; a title cannot make it longer than this.
constexpr std::size_t kHeadBytes = 16u << 10;

constexpr std::size_t kNumberDigits = 3;  // the fewest digits

// Picks the schema and the title out of the head and stops at the key "sizes". The head holds plain
// fields and, for reasons, objects of them.
class HeadReader final : public JsonPicker {
 public:
  bool start_object(std::size_t size) override {
    return JsonPicker::start_object(size) && depth() <= 2;
  }
  bool end_object() override { return JsonPicker::end_object() && depth() > 0; }
  bool start_array(std::size_t) override { return false; }
  bool key(string_t& name) override {
    if (depth() == 2) reason_ = name;
    if (depth() != 1) return true;
    key_ = name;
    complete_ = name == "sizes";
    return !complete_;
  }
  bool string(string_t& text) override {
    if (depth() == 2 && key_ == "lint_accepts") lint_accepts_[reason_] = text;
    if (depth() != 1) return true;
    if (key_ == "schema") schema_ = text;
    if (key_ == "title") title_ = text;
    return true;
  }

  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] const std::string& schema() const { return schema_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const std::map<std::string, std::string>& lint_accepts() const {
    return lint_accepts_;
  }

 private:
  bool complete_ = false;
  std::string key_;
  std::string reason_;  // the key within an object of reasons
  std::map<std::string, std::string> lint_accepts_;
  std::string schema_;
  std::string title_;
};

// Picks the keys of "sizes" out of a whole file.
class SizesReader final : public JsonPicker {
 public:
  bool key(string_t& name) override {
    if (depth() == 1) in_sizes_ = name == "sizes";
    if (depth() == 2 && in_sizes_) sizes_.push_back(name);
    return true;
  }

  [[nodiscard]] const std::vector<std::string>& sizes() const { return sizes_; }

 private:
  bool in_sizes_ = false;
  std::vector<std::string> sizes_;
};

std::optional<int> parse_number(std::string_view digits) {
  int value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || failure != std::errc{} || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

// "levelN" gives N.
std::optional<int> level_of(const fs::path& folder) {
  const auto name = folder.filename().string();
  if (!name.starts_with("level")) return std::nullopt;
  return parse_number(std::string_view(name).substr(5));
}

// The entry that the path "levelN/NNN_name.json" tells; nothing for any other file.
std::optional<TaskEntry> entry_of(const fs::path& file, int level) {
  const auto stem = file.stem().string();
  const auto line = stem.find('_');
  if (file.extension() != ".json" || line == std::string::npos || line < kNumberDigits ||
      line + 1 == stem.size())
    return std::nullopt;
  const auto number = parse_number(std::string_view(stem).substr(0, line));
  if (!number) return std::nullopt;
  TaskEntry entry;
  entry.id = fmt::format("level{}/{}", level, stem);
  entry.level = level;
  entry.number = *number;
  entry.name = stem.substr(line + 1);
  entry.file = file;
  return entry;
}

void read_head(TaskEntry& entry) {
  std::error_code failure;
  if (!fs::is_regular_file(entry.file, failure)) {  // a pipe would never end
    entry.problem = "no regular file";
    return;
  }
  std::ifstream stream(entry.file, std::ios::binary);
  std::string head(kHeadBytes, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  HeadReader reader;
  // False either way: at "sizes" because the reader stops there, before it because of an error.
  (void)Json::sax_parse(head, &reader, Json::input_format_t::json, /*strict=*/false);
  if (head.empty()) {
    entry.problem = "empty or unreadable";
  } else if (!reader.complete()) {
    entry.problem = "not a lowered task: no \"sizes\" after its head";
  } else if (reader.schema() != "kbench-task/1") {
    entry.problem = fmt::format("schema \"{}\", expected \"kbench-task/1\"", reader.schema());
  } else {
    entry.title = reader.title();
    entry.unranked = why_unranked(reader.lint_accepts());
  }
}

// The entries of a folder, without exceptions.
std::vector<fs::path> children(const fs::path& folder, std::error_code& failure) {
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure)) {
    paths.push_back(it->path());
  }
  return paths;
}

// KernelBench names its files 25_Swish.py: letters of either case are equal.
bool matches_glob(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), FNM_PATHNAME | FNM_CASEFOLD) == 0;
}

// "25_Swish" as kbench writes it, "025_Swish"; behind "level1/" too. Any other pattern as it is.
std::string with_three_digits(std::string pattern) {
  constexpr std::size_t kDigits = 3;
  const std::size_t start = pattern.find('/') == pattern.npos ? 0 : pattern.find('/') + 1;
  const std::size_t end = pattern.find_first_not_of("0123456789", start);
  if (end == pattern.npos || pattern[end] != '_' || end == start || end - start >= kDigits)
    return pattern;
  return pattern.insert(start, kDigits - (end - start), '0');
}

// "level1/19", as KernelBench counts its problems.
bool is_number_of(const std::string& pattern, const TaskEntry& entry) {
  const auto slash = pattern.find('/');
  return pattern.substr(0, slash) == fmt::format("level{}", entry.level) &&
         parse_number(std::string_view(pattern).substr(slash + 1)) == entry.number;
}

bool matches(const std::string& typed, const TaskEntry& entry) {
  const std::string pattern = with_three_digits(typed);
  if (pattern.find('/') != std::string::npos)
    return matches_glob(pattern, entry.id) || is_number_of(pattern, entry);
  return matches_glob(pattern, entry.id.substr(entry.id.find('/') + 1)) ||
         matches_glob(pattern, fmt::format("{:03}", entry.number)) ||
         parse_number(pattern) == entry.number || matches_glob(pattern, entry.name);
}

Error unknown_task(const std::string& pattern, const std::vector<TaskEntry>& entries) {
  const auto guess = nearest_task(pattern, entries);
  return Error{
      ErrorCode::kNotFound, fmt::format("no task is called \"{}\"", pattern),
      guess ? fmt::format("did you mean \"{}\"?", *guess) : std::string(kAllTasksAreListed)};
}

}  // namespace

std::optional<TaskEntry> entry_of_id(const std::string& id) {
  const fs::path place(id + ".json");
  const auto level = level_of(place.parent_path());
  auto entry = level ? entry_of(place, *level) : std::nullopt;
  if (!entry || entry->id != id) return std::nullopt;
  entry->file.clear();
  return entry;
}

Result<std::vector<TaskEntry>> list_tasks(const fs::path& suites) {
  std::error_code failure;
  if (!fs::is_directory(suites, failure)) {
    return Error{ErrorCode::kUsage, fmt::format("{}: no such suite folder", suites.string()),
                 "a suite is a folder with levelN/NNN_name.json files"};
  }
  std::vector<TaskEntry> entries;
  for (const auto& folder : children(suites, failure)) {
    const auto level = level_of(folder);
    if (!level || failure) continue;
    for (const auto& file : children(folder, failure)) {
      if (auto entry = entry_of(file, *level)) {
        read_head(*entry);
        entries.push_back(std::move(*entry));
      }
    }
  }
  if (failure) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{}: {}", suites.string(), failure.message()),
                 "check the folder's permissions"};
  }
  std::sort(entries.begin(), entries.end(), [](const TaskEntry& a, const TaskEntry& b) {
    return std::tie(a.level, a.number, a.name) < std::tie(b.level, b.number, b.name);
  });
  return entries;
}

std::vector<std::string> sizes_of(const TaskEntry& entry) {
  const auto text = read_bounded_file(entry.file, JsonLimits{}.max_bytes);
  SizesReader reader;
  const bool whole = text && Json::sax_parse(*text, &reader);
  return whole ? reader.sizes() : std::vector<std::string>{};
}

Result<std::vector<TaskEntry>> select_tasks(const std::vector<TaskEntry>& entries,
                                            const std::vector<int>& levels,
                                            const std::vector<std::string>& patterns) {
  for (const auto& pattern : patterns) {
    const bool glob = pattern.find_first_of("*?[") != std::string::npos;
    if (!glob && std::none_of(entries.begin(), entries.end(),
                              [&](const TaskEntry& entry) { return matches(pattern, entry); })) {
      return unknown_task(pattern, entries);
    }
  }
  std::vector<TaskEntry> selected;
  for (const auto& entry : entries) {
    const bool level_fits =
        levels.empty() || std::find(levels.begin(), levels.end(), entry.level) != levels.end();
    const bool name_fits =
        patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) {
          return matches(pattern, entry);
        });
    if (level_fits && name_fits) selected.push_back(entry);
  }
  return selected;
}

std::optional<std::string> nearest_task(const std::string& pattern,
                                        const std::vector<TaskEntry>& entries) {
  std::string typed = pattern;
  std::erase_if(typed,
                [](char c) { return std::string_view("*?[]").find(c) != std::string::npos; });
  const bool is_id = typed.find('/') != std::string::npos;
  const bool has_number =
      !is_id && !typed.empty() && typed.front() >= '0' && typed.front() <= '9';  // "19_relu"
  std::vector<std::string> known;
  if (const auto number = parse_number(typed.substr(typed.find('/') + 1)); is_id && number) {
    for (const auto& entry : entries)
      if (entry.number == *number) known.push_back(fmt::format("level{}/{}", entry.level, *number));
    return nearest(typed, known);  // "levl1/19"
  }
  for (const auto& entry : entries)
    known.push_back(is_id        ? entry.id
                    : has_number ? entry.id.substr(entry.id.find('/') + 1)
                                 : entry.name);
  return nearest(typed, known);
}

bool leads_out_of(const fs::path& file, const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_symlink(file, failed)) return false;
  const fs::path inside = fs::canonical(folder, failed);
  if (failed) return true;
  const fs::path there = fs::weakly_canonical(file, failed).lexically_relative(inside);
  return failed || there.empty() || *there.begin() == "..";
}

}  // namespace kbench
