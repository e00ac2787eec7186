#include "reports/attribution/attribution_words.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

constexpr const char* kMinus = "−";

constexpr int kDigits = 2;       // digits behind the point of a number below ten
constexpr int kMostDigits = 10;  // digits of two numbers that would look the same

// The number without its sign, with `more` digits than usual. "0" where all digits are 0.
std::string magnitude(double value, int more) {
  const double size = std::abs(value);
  if (size >= 100 && more == 0) return thousands(size);
  const int digits = (size < 10 ? kDigits : size < 100 ? 1 : 0) + more;
  std::string text = fmt::format("{:.{}f}", size, digits);
  if (text.find_first_not_of("0.") == std::string::npos) return "0";
  return text.starts_with("0.") ? text.substr(1) : text;
}

std::string number_with(double value, int more) {
  const std::string size = magnitude(value, more);
  return (value < 0 && size != "0" ? kMinus : "") + size;
}

std::string plural(UnitKind kind) {
  switch (kind) {
    case UnitKind::kTask: return "tasks";
    case UnitKind::kTrajectory: return "trajectories";
    case UnitKind::kState: return "states";
  }
  return "";
}

// ".065", ".18": three digits below a tenth.
std::string effect_size(double value) {
  std::string text = fmt::format("{:.{}f}", value, value < 0.1 ? 3 : 2);
  if (text.size() > 4 && text.ends_with('0')) text.pop_back();
  return text.starts_with("0.") ? text.substr(1) : text;
}

// Why no interval stands there.
std::string reason_words(const Estimate& estimate, UnitKind kind) {
  switch (estimate.basis) {
    case Basis::kStudent:
    case Basis::kNothingHappened: return "";
    case Basis::kFewUnits:
      return fmt::format("no interval: {}, it takes {}", unit_words(estimate.units, kind),
                         kLeastUnits);
    case Basis::kFewEvents:
      return fmt::format("no interval: {} of {} differ, it takes {}", estimate.events,
                         unit_words(estimate.units, kind), kLeastEvents);
    case Basis::kNoSpread:
      return fmt::format("no interval: the same in all {}", unit_words(estimate.units, kind));
  }
  return "";
}

// Why nothing is said of trajectories that are not in the file.
std::string trajectory_words(const Attribution& found) {
  if (found.trajectories == 0) return "the file does not name theirs";
  return fmt::format("they come from {}; it takes {}",
                     unit_words(found.trajectories, UnitKind::kTrajectory), kLeastUnits);
}

// Whether the interval alone would tell more than Holm's correction lets it.
bool only_holm_doubts(const Effect& effect, const ComponentAnswer& answer) {
  return answer.advice == Advice::kCannotTell && effect.estimate.interval &&
         !effect.estimate.interval->contains(0);
}

std::string states_alone(const Attribution& found) {
  std::vector<std::string> parts;
  for (const ComponentAnswer& answer : found.answers) {
    const Effect& effect = found.effects[answer.effect];
    if (effect.over_states)
      parts.push_back(fmt::format("{} {}", component_words(effect.components),
                                  estimate_words(*effect.over_states, UnitKind::kState, "φ")));
  }
  return parts.empty() ? "" : fmt::format("These states alone: {}.", fmt::join(parts, "; "));
}

}  // namespace

std::string number_words(double value) { return number_with(value, 0); }

std::string interval_words(const ConfidenceInterval& interval) {
  int more = 0;
  while (more < kMostDigits && number_with(interval.low, more) == number_with(interval.high, more))
    ++more;
  return fmt::format("[{}, {}]", number_with(interval.low, more), number_with(interval.high, more));
}

std::string signed_words(double value) {
  const std::string words = number_with(value, 0);
  return (value > 0 && words != "0" ? "+" : "") + words;
}

std::string thousands(double value) {
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return (value < 0 ? kMinus : "") + digits;
}

std::string unit_words(std::size_t count, UnitKind kind) {
  return fmt::format("{} {}", count, count == 1 ? std::string(to_string(kind)) : plural(kind));
}

std::string estimate_words(const Estimate& estimate, UnitKind kind, std::string_view symbol) {
  if (estimate.bound)
    return fmt::format("|{}| ≤ {:.2f}: {}{} had the same outcome everywhere", symbol,
                       *estimate.bound, estimate.units == 1 ? "" : "all ",
                       unit_words(estimate.units, kind));
  if (estimate.interval)
    return fmt::format("{} {}", signed_words(estimate.mean), interval_words(*estimate.interval));
  return fmt::format("{}, {}", signed_words(estimate.mean), reason_words(estimate, kind));
}

std::string estimate_cell(const Estimate& estimate) {
  if (estimate.bound) return fmt::format("≤ {:.2f}", *estimate.bound);
  if (estimate.interval)
    return fmt::format("{} {}", signed_words(estimate.mean), interval_words(*estimate.interval));
  return signed_words(estimate.mean);
}

std::string component_words(const std::vector<std::string>& components) {
  std::vector<std::string> clean;
  for (const std::string& one : components) clean.push_back(sanitize_line(one));
  return fmt::format("{}", fmt::join(clean, " × "));
}

std::string answer_words(const Attribution& found, const ComponentAnswer& answer) {
  const Effect& effect = found.effects[answer.effect];
  std::string text =
      fmt::format("{} {}: {}", component_words(effect.components),
                  estimate_words(effect.estimate, effect.unit, "φ"), to_string(answer.advice));
  if (only_holm_doubts(effect, answer))
    text += fmt::format(" (p = {:.2g} by Holm)", effect.corrected_p.value_or(1));
  if (answer.tokens) text += fmt::format(", {} tokens a call", thousands(*answer.tokens));
  if (answer.more_units)
    text += fmt::format(
        ", {} more {} would see {}", *answer.more_units,
        *answer.more_units == 1 ? std::string(to_string(effect.unit)) : plural(effect.unit),
        effect_size(answer.would_see));
  return text;
}

std::vector<std::string> scope_words(const Attribution& found) {
  std::map<std::string, std::vector<std::string>> wide;  // key: the units that intervals are over
  std::vector<std::string> narrow;
  for (const ComponentAnswer& answer : found.answers) {
    const Effect& effect = found.effects[answer.effect];
    auto& names = effect.unit == UnitKind::kState
                      ? narrow
                      : wide[unit_words(effect.estimate.units, effect.unit)];
    names.push_back(component_words(effect.components));
  }
  std::vector<std::string> lines;
  for (const auto& [units, names] : wide)
    lines.push_back(
        fmt::format("Over {}, and so for others like them: {}.", units, fmt::join(names, ", ")));
  if (!wide.empty()) lines.push_back(states_alone(found));
  if (!narrow.empty())
    lines.push_back(fmt::format("Over these states, and nothing on other trajectories ({}): {}.",
                                trajectory_words(found), fmt::join(narrow, ", ")));
  return lines;
}

}  // namespace kbench
