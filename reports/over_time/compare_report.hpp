// A comparison of two runs for a terminal and for programs. What changed around the kernels comes
// before what became of them.
#pragma once

#include <string>

#include "reports/formats/text_table.hpp"
#include "reports/over_time/compare.hpp"
#include "runner/core/json.hpp"

namespace kbench {

// The differences that keep two runs apart, a line each: "  device: A before, B after".
[[nodiscard]] std::string difference_lines(const std::vector<Difference>& differences);

// The comparison, worst rows first; SAME rows are counted unless `all`. Ends in a line that sums
// up.
[[nodiscard]] std::string render_compare(const Comparison& comparison, bool all,
                                         const TableStyle& style);

// {schema_version, before, after, baseline, incomparable[], environment[], cautions[], counts,
// rows[]}; all rows, worst first.
[[nodiscard]] Json compare_json(const Comparison& comparison);

// "level1/019_relu of alice takes 6.2 % longer", "… of alice: now fails".
[[nodiscard]] std::string offence_words(const ComparedRow& row);

}  // namespace kbench
