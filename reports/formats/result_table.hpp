// Which columns a table of results has and what stands in their cells, chosen from the field table.
// How a cell is written is the caller's affair: the console's, and Markdown's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/formats/report_columns.hpp"
#include "reports/formats/text_table.hpp"

namespace kbench {

// Columns for `rows` as derive_all() gives them; sizes and lint only if they tell rows apart. A
// name of a submission is cut after `name_columns`.
[[nodiscard]] std::vector<Column> result_columns(std::span<const ResultRow> rows,
                                                 std::size_t name_columns);

// The chosen columns as a table and nothing else: none falls away.
[[nodiscard]] std::string render_chosen(const ReportData& data,
                                        const std::vector<ReportColumn>& chosen, bool colour);

}  // namespace kbench
