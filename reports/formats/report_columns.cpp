#include "reports/formats/report_columns.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

// The name that is near, or the first of those that begin with what is: "spedup" is near to
// "speedup.eager".
std::optional<std::string> near_to(const std::string& name, const std::vector<std::string>& known) {
  if (auto whole = nearest(name, known)) return whole;
  std::vector<std::string> heads;
  for (const std::string& one : known) heads.push_back(one.substr(0, one.find('.')));
  const auto head = nearest(name, heads);
  if (!head) return std::nullopt;
  return known[static_cast<std::size_t>(std::find(heads.begin(), heads.end(), *head) -
                                        heads.begin())];
}

Error no_such_column(const std::string& name, const std::vector<std::string>& known) {
  const auto guess = near_to(name, known);
  return {ErrorCode::kUsage, fmt::format("there is no column \"{}\"", sanitize_line(name)),
          guess ? fmt::format("did you mean \"{}\"?", *guess)
                : "the first line of `kbench report csv` names all of them"};
}

}  // namespace

std::vector<ReportColumn> report_columns() {
  std::vector<ReportColumn> columns{{"run_id", nullptr, ""}, {"started_at", nullptr, ""}};
  for (const Field& field : result_fields()) {
    columns.push_back({std::string(field.name), &field, ""});
    if (field.unit != Unit::kSpeedup) continue;
    for (const SpeedupPart& part : speedup_parts())
      columns.push_back({fmt::format("{}.{}", field.name, part.name), &field, part.name});
  }
  return columns;
}

bool is_whole_speedup(const ReportColumn& column) {
  return column.field != nullptr && column.field->unit == Unit::kSpeedup && column.part.empty();
}

Result<std::vector<ReportColumn>> chosen_columns(const std::vector<std::string>& names) {
  const std::vector<ReportColumn> all = report_columns();
  std::vector<std::string> known;
  for (const ReportColumn& column : all) known.push_back(column.name);
  std::set<std::string> seen;
  std::vector<ReportColumn> chosen;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) return no_such_column(name, known);
    if (!seen.insert(name).second)
      return Error{ErrorCode::kUsage, fmt::format("the column \"{}\" is named twice", name),
                   "name each column once"};
    chosen.push_back(all[static_cast<std::size_t>(found - known.begin())]);
  }
  return chosen;
}

Json column_value(const ReportColumn& column, const Run& run, const ResultRow& row) {
  if (column.field == nullptr) return column.name == "run_id" ? run.id : run.started_at;
  Json value = column.field->value(row);
  if (column.part.empty() || value.is_null()) return value;
  return value.at(std::string(column.part));
}

}  // namespace kbench
