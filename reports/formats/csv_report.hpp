// A run as comma-separated values (RFC 4180): a heading and one record for each result, with every
// field of reports/facts/fields.hpp in a column that is named like it in JSON; a speed-up takes a
// column for each of its parts. What was not measured is an empty cell. Numbers have all their
// digits. Text that a spreadsheet would take for a formula gets an apostrophe in front.
#pragma once

#include <string>
#include <string_view>

#include "reports/facts/model.hpp"

namespace kbench {

[[nodiscard]] std::string render_csv(const ReportData& data);

// One cell that holds foreign text: harmless to a spreadsheet and to a terminal, quoted where it
// needs to be.
[[nodiscard]] std::string csv_text(std::string_view text);

}  // namespace kbench
