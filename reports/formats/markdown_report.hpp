// A run as a GitHub-flavoured Markdown table with the failures below it: for a pull request, an
// issue, or the summary of a workflow's step. Foreign text is shown as it is: nothing in it is
// taken for markup, a link or a mention.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reports/facts/model.hpp"

namespace kbench {

// The report in about `most_bytes` at most: if it is longer, rows are left out at the end, and the
// text says how many.
[[nodiscard]] std::string render_markdown(const ReportData& data,
                                          std::size_t most_bytes = std::string::npos);

// Foreign text within a line or a cell.
[[nodiscard]] std::string markdown_text(std::string_view text);

}  // namespace kbench
