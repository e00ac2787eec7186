#include "reports/over_time/fail_on.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr std::string_view kSlower = "slower:";

// "slower:5%" or "slower:2.5%".
std::optional<double> parse_slower(std::string_view word) {
  if (!word.starts_with(kSlower) || !word.ends_with('%')) return std::nullopt;
  word.remove_prefix(kSlower.size());
  word.remove_suffix(1);
  double percent = 0;
  const auto [end, failure] =
      std::from_chars(word.data(), word.data() + word.size(), percent, std::chars_format::fixed);
  const bool whole = failure == std::errc() && end == word.data() + word.size();
  if (!whole || !std::isfinite(percent) || percent < 0) return std::nullopt;
  return percent / 100;
}

bool offends(const ComparedRow& row, const FailOn& fail_on) {
  switch (row.change) {
    case Change::kNowFails:
    case Change::kGone: return fail_on.fails;
    case Change::kSlower: return fail_on.slower && row.longer_by().value_or(0) > *fail_on.slower;
    case Change::kUndecided: return fail_on.undecided && !row.same_source;
    case Change::kNew:
    case Change::kNowPasses:
    case Change::kFaster:
    case Change::kSame: return false;
  }
  return false;
}

}  // namespace

Result<FailOn> parse_fail_on(std::string_view text) {
  FailOn fail_on;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    if (word == "fails") {
      fail_on.fails = true;
    } else if (word == "undecided") {
      fail_on.undecided = true;
    } else if (const auto slower = parse_slower(word)) {
      fail_on.slower = slower;
    } else {
      return Error{ErrorCode::kUsage,
                   fmt::format("\"{}\" is nothing to fail on", word.substr(0, 80)),
                   "--fail-on takes slower:5%, fails, undecided, or several: slower:5%,fails"};
    }
    if (comma == std::string_view::npos) return fail_on;
    text.remove_prefix(comma + 1);
  }
}

std::string not_judged_words(const Comparison& comparison, const FailOn& fail_on) {
  if (!fail_on.slower || fail_on.undecided) return "";
  const int undecided = comparison.count(Change::kUndecided);
  if (undecided == 0) return "";
  return fmt::format("{} of {} rows are UNDECIDED, on which slower:{:g}% does not fail", undecided,
                     comparison.rows.size(), 100 * *fail_on.slower);
}

std::vector<const ComparedRow*> offenders(const Comparison& comparison, const FailOn& fail_on) {
  std::vector<const ComparedRow*> rows;
  for (const ComparedRow& row : comparison.rows)
    if (offends(row, fail_on)) rows.push_back(&row);
  return rows;
}

}  // namespace kbench
