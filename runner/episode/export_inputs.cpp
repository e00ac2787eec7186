#include "runner/episode/export_inputs.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostHeldOutBytes = 16u << 20;
constexpr std::size_t kMostValueBytes = 1u << 30;
constexpr std::size_t kLongestPattern = 200;

Error wrong_line(const std::filesystem::path& file, std::size_t line, const std::string& what,
                 const char* hint) {
  return {ErrorCode::kUsage, fmt::format("{}:{}: {}", clean_name(file.string(), 300), line, what),
          hint};
}

// Calls act(line, its number), which says what is wrong with it or nothing.
Status for_each_line(const std::filesystem::path& file, std::size_t most_bytes,
                     const std::function<Status(std::string_view, std::size_t)>& act) {
  const auto text = read_bounded_file(file, most_bytes);
  if (!text) return Error{ErrorCode::kUsage, text.error().message, text.error().hint};
  std::string_view rest = *text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (auto fine = act(line, number); !fine) return fine;
  }
  return Done{};
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

}  // namespace

Result<HeldOutTasks> HeldOutTasks::read(const std::filesystem::path& file) {
  HeldOutTasks tasks;
  const Status read = for_each_line(
      file, kMostHeldOutBytes, [&](std::string_view line, std::size_t number) -> Status {
        const std::string_view pattern = trimmed(line.substr(0, line.find('#')));
        if (pattern.empty()) return Done{};
        if (pattern.size() > kLongestPattern || pattern.find(' ') != pattern.npos)
          return wrong_line(file, number, "this is no task",
                            "one id a line, level1/019_relu, or a glob over ids");
        tasks.patterns_.emplace_back(pattern);
        return Done{};
      });
  if (!read) return read.error();
  return tasks;
}

bool HeldOutTasks::contains(const std::string& task) const {
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), task.c_str(), 0) == 0;
  });
}

Result<EpisodeValues> read_values(const std::filesystem::path& file) {
  constexpr const char* kForm = "a line is {\"episode\": ID, \"values\": [0.5, ...]}";
  EpisodeValues values;
  const Status read = for_each_line(
      file, kMostValueBytes, [&](std::string_view line, std::size_t number) -> Status {
        if (trimmed(line).empty()) return Done{};
        const auto json = parse_bounded_json(line, 3);
        if (!json) return wrong_line(file, number, "this is no JSON", kForm);
        const bool whole = json->is_object() && json->value("episode", Json()).is_string() &&
                           json->value("values", Json()).is_array();
        if (!whole) return wrong_line(file, number, "it names no episode, or no values", kForm);
        std::vector<double> of_turns;
        for (const Json& value : json->at("values")) {
          if (!value.is_number()) return wrong_line(file, number, "a value is no number", kForm);
          of_turns.push_back(value.get<double>());
        }
        const auto [place, is_new] =
            values.emplace(json->at("episode").get<std::string>(), std::move(of_turns));
        if (!is_new)
          return wrong_line(
              file, number,
              fmt::format("episode {} stands there twice", clean_name(place->first, 80)), kForm);
        return Done{};
      });
  if (!read) return read.error();
  return values;
}

}  // namespace kbench
