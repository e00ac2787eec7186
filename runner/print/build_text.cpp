#include "runner/print/build_text.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

using Built = BuiltRow::State;

constexpr std::size_t kMostOfName = 120;
constexpr int kMostLines = 4;  // lines of a compiler's words

Tone tone_of(Built state) {
  switch (state) {
    case Built::kBuilt:
    case Built::kThere: return Tone::kGood;
    case Built::kLeft: return Tone::kNeutral;
    case Built::kFailed:
    case Built::kUnable: return Tone::kBad;
  }
  return Tone::kNeutral;
}

std::string indented(const std::string& words) {
  std::istringstream lines(words);
  std::string text;
  int shown = 0;
  for (std::string line; shown < kMostLines && std::getline(lines, line);)
    if (!line.empty()) {
      text += fmt::format("         {}\n", printable(line));
      ++shown;
    }
  return text;
}

}  // namespace

std::string build_text(const BuiltPlan& built, const TableStyle& style) {
  std::size_t width = 0;
  for (const BuiltRow& row : built.rows) width = std::max(width, row.task.size());
  std::string text;
  for (const BuiltRow& row : built.rows) {
    std::string line = fmt::format(
        "{}  {:{}}  {}",
        paint(fmt::format("{:7}", to_string(row.state)), tone_of(row.state), style.colour),
        printable(row.task), width, clean_name(row.submission.name, kMostOfName));
    if (row.state == Built::kBuilt) line += fmt::format("  {:.1f} s", row.seconds);
    append_line(text, line);
    text += indented(row.why);
  }
  return text;
}

Json build_json(const BuiltPlan& built) {
  const auto word = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  Json rows = Json::array();
  for (const BuiltRow& row : built.rows)
    rows.push_back({{"task", row.task},
                    {"agent", word(row.submission.agent)},
                    {"variant", word(row.submission.variant)},
                    {"submission", word(row.submission.name)},
                    {"state", to_string(row.state)},
                    {"seconds", row.state == Built::kBuilt ? Json(row.seconds) : Json()},
                    {"why", word(row.why)}});
  return {{"schema_version", 1},
          {"target", built.target},
          {"interrupted", built.interrupted},
          {"submissions", std::move(rows)}};
}

std::string build_words(const BuiltPlan& built) {
  const int made = built.count(Built::kBuilt);
  std::string words =
      fmt::format("{} submission{} built for {}", made, made == 1 ? "" : "s", built.target);
  const auto add = [&](Built state, std::string_view one, std::string_view several) {
    if (const int count = built.count(state); count > 0)
      words += fmt::format(", {} {}", count, count == 1 ? one : several);
  };
  add(Built::kThere, "was there", "were there");
  add(Built::kLeft, "left to the run", "left to the run");
  add(Built::kUnable, "could not be tried", "could not be tried");
  add(Built::kFailed, "does not compile or load (a run tells that in its row)",
      "do not compile or load (a run tells that in their rows)");
  return words + (built.interrupted ? "; interrupted, the same command goes on from there" : "");
}

}  // namespace kbench
