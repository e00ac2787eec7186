// Findings of a study of feedback as tables and sentences: the console and the page show the same
// ones. All texts are sanitized.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/formats/text_table.hpp"
#include "runner/attribution/analysis.hpp"

namespace kbench {

struct AttributionTable {
  // "components", "interactions", "groups", "arms", "transfer" or "lines"
  std::string_view section;
  std::string heading;
  std::vector<Column> columns;  // names first; each has a row at least
  std::vector<Estimate> drawn;  // a row each, of one outcome, for a page to draw; else empty
};

// Components, interactions, groups and their differences, arms, controls, transfer; only tables
// that have rows.
[[nodiscard]] std::vector<AttributionTable> attribution_tables(const Attribution& found);

// The meaning of φ, of which outcome and arm, and how its tests are corrected: two lines.
[[nodiscard]] std::string effect_words(const Attribution& found);

// Pairs that no state has both of: a sentence without a line break, or nothing.
[[nodiscard]] std::string unidentified_words(const Attribution& found);

// Ground of the numbers, a sentence each: states by what answered there, undecided cells, lines
// of the file.
[[nodiscard]] std::vector<std::string> ground_words(const Attribution& found);
// The grounds as tables, and faults by coalition.
[[nodiscard]] std::vector<AttributionTable> ground_tables(const Attribution& found);

}  // namespace kbench
