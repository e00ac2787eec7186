// A run as text for a terminal: an aligned table, the failures with what to do about them, and one
// line that sums up; of a run of one submission for one task its verdict card instead of a table.
// Every foreign string passes reports/facts/sanitize.hpp.
#pragma once

#include <string>
#include <vector>

#include "reports/facts/model.hpp"

namespace kbench {

struct ConsoleOptions {
  bool colour = false;
  std::size_t columns = 0;  // width of the terminal; 0: unlimited
  int message_lines = 12;   // lines of each failure; the number of further ones is said
};

[[nodiscard]] std::string render_console(const ReportData& data,
                                         const ConsoleOptions& options = {});

// One finished evaluation on one line, without a line break: for progress while running.
[[nodiscard]] std::string format_row_line(const ResultRow& row, const ConsoleOptions& options = {});

// The tasks and states, and the scores of the first agents, in one line without colour.
[[nodiscard]] std::string summary_line(const ReportData& data);
// Parts of the same: render_console ends with them, below a table.
[[nodiscard]] std::vector<std::string> summary_parts(const ReportData& data);

}  // namespace kbench
