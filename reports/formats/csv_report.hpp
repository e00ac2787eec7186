// A run as comma-separated values (RFC 4180): a heading and one record for each result, with every
// field of reports/facts/fields.hpp in a column that is named like it in JSON; a speed-up takes a
// column for each of its parts. What was not measured is an empty cell. Numbers have all their
// digits. Text that a spreadsheet would take for a formula gets an apostrophe in front.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/formats/report_columns.hpp"

namespace kbench {

// `chosen`: its columns, in this order; none: all. A whole speed-up is its parts.
[[nodiscard]] std::string render_csv(const ReportData& data,
                                     const std::vector<ReportColumn>& chosen = {});

// One cell that holds foreign text: harmless to a spreadsheet and to a terminal, quoted where it
// needs to be.
[[nodiscard]] std::string csv_text(std::string_view text);

}  // namespace kbench
