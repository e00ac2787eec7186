// The one table of what a result row says: name, heading, unit, explanation, value. JSON writes all
// fields, the console table and the page pick some by name; a number is explained and rounded in
// one place only. A new number is a new entry here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reports/facts/model.hpp"
#include "runner/core/json.hpp"

namespace kbench {

// How a value is meant, and so how it is shown.
enum class Unit {
  kText,
  kFlag,  // true, false, null
  kCount,
  kNanoseconds,  // shown as milliseconds
  kSpeedup,      // an object {estimate, low, high, verdict, …}
  kSeconds,
  kError,   // an absolute difference
  kObject,  // an object that only programs read
};

struct Field {
  std::string_view name;     // name in JSON; a dot means a nested object: "time_ns.eager"
  std::string_view heading;  // heading of a column
  Unit unit;
  std::string_view help;  // the number in plain words
  Json (*value)(const ResultRow& row);
};

[[nodiscard]] std::span<const Field> result_fields();
// The field of that name; names are constants of the callers, so a missing one is a bug (throws
// std::out_of_range).
[[nodiscard]] const Field& result_field(std::string_view name);
// The speed-up over a baseline.
[[nodiscard]] const Field& speedup_field(Side baseline);

// A part of a speed-up as JSON gives it: {"estimate": 1.92, "low": 1.85, …}.
struct SpeedupPart {
  std::string_view name;
  Json (*value)(const Speedup& speedup);
};

// In the order in which the page lists them and a table has its columns.
[[nodiscard]] std::span<const SpeedupPart> speedup_parts();

// Nine significant digits: past them a logarithm differs between math libraries, and one run would
// give two reports.
[[nodiscard]] double nine_digits(double value);
// The same. Null for what is no number, and for infinity, which JSON does not have.
[[nodiscard]] Json rounded(double value);

// The value as people read it, by the field's unit: "12.34", "1.92× [1.85–2.01]"; "–" for null.
[[nodiscard]] std::string show(const Field& field, const ResultRow& row);
[[nodiscard]] std::string show_speedup(const std::optional<Speedup>& speedup);
[[nodiscard]] std::string show_ratio(double ratio);     // "1.92×", "0.034×", "124×"
[[nodiscard]] std::string show_ms(double nanoseconds);  // "12.34", four significant digits
[[nodiscard]] std::string show_error(double error);     // "3.1e-07"

// Not by colour alone: each state and verdict has a word, a glyph and a tone.
enum class Tone { kGood, kBad, kCaution, kNeutral };
[[nodiscard]] std::string_view to_string(Tone tone);  // "good", a class of the page
[[nodiscard]] std::string_view glyph(State state);
[[nodiscard]] Tone tone(State state);
[[nodiscard]] std::string words(State state);  // "wrong result"
[[nodiscard]] std::string_view glyph(Verdict verdict);
[[nodiscard]] Tone tone(Verdict verdict);
// One sentence for the legend of a report.
[[nodiscard]] std::string_view help(State state);
[[nodiscard]] std::string_view help(Verdict verdict);

}  // namespace kbench
