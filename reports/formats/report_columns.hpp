// The columns that a reader may choose of a table of results, by the names that CSV has for them:
// one table for both. A whole speed-up ("speedup.eager") is a column of a table for people, and its
// parts ("speedup.eager.low") are those of CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/facts/fields.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct ReportColumn {
  std::string name;
  const Field* field = nullptr;  // null: a column of the run, "run_id" or "started_at"
  std::string_view part;         // part of a speed-up; empty: the value itself
};

// All of them: the run's, then by field; of a speed-up its parts, behind the whole one.
[[nodiscard]] std::vector<ReportColumn> report_columns();

// True for the object of a speed-up, which CSV has as its parts.
[[nodiscard]] bool is_whole_speedup(const ReportColumn& column);

// The columns of these names, in this order. Errors: kUsage, a name that there is not, with the
// nearest one; one that is named twice.
[[nodiscard]] Result<std::vector<ReportColumn>> chosen_columns(
    const std::vector<std::string>& names);

// The value of a row; a whole speed-up is an object.
[[nodiscard]] Json column_value(const ReportColumn& column, const Run& run, const ResultRow& row);

}  // namespace kbench
