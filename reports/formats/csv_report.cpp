#include "reports/formats/csv_report.hpp"

#include <vector>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/json_text.hpp"
#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

// Excel, LibreOffice and Google Sheets compute what begins so; after OWASP's page on CSV injection.
bool begins_a_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != text.npos;
}

// Not only what RFC 4180 asks for: a spreadsheet may be set to separate by semicolons or tabs.
bool needs_quotes(std::string_view text) {
  return text.find_first_of("\",;\t\r\n") != text.npos || text.starts_with(' ') ||
         text.ends_with(' ');
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return csv_text(value.get_ref<const std::string&>());
  if (value.is_structured()) return value.empty() ? "" : csv_text(json_text(value));
  return value.dump();  // a number or a flag
}

void append_record(std::string& out, const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += ',';
    out += cells[i];
  }
  out += "\r\n";
}

// The columns of a record: all, or the chosen ones, a whole speed-up by its parts.
std::vector<ReportColumn> columns_of(const std::vector<ReportColumn>& chosen) {
  const std::vector<ReportColumn> all = report_columns();
  std::vector<ReportColumn> columns;
  for (const ReportColumn& one : chosen.empty() ? all : chosen) {
    if (!is_whole_speedup(one)) {
      columns.push_back(one);
      continue;
    }
    if (chosen.empty()) continue;  // its parts follow
    for (const ReportColumn& part : all)
      if (part.field == one.field && !part.part.empty()) columns.push_back(part);
  }
  return columns;
}

// The parts of a speed-up follow each other, so a field is derived once.
std::vector<std::string> cells_of(const std::vector<ReportColumn>& columns, const Run& run,
                                  const ResultRow& row) {
  std::vector<std::string> cells;
  const Field* last = nullptr;
  Json value;
  for (const ReportColumn& column : columns) {
    if (column.field == nullptr) {
      cells.push_back(csv_cell(column_value(column, run, row)));
      continue;
    }
    if (column.field != last) value = column.field->value(row);
    last = column.field;
    const bool is_part = !column.part.empty() && !value.is_null();
    cells.push_back(csv_cell(is_part ? value.at(std::string(column.part)) : value));
  }
  return cells;
}

}  // namespace

std::string csv_text(std::string_view text) {
  const std::string safe =
      fmt::format("{}{}", begins_a_formula(text) ? "'" : "", sanitize_text(text));
  if (!needs_quotes(safe)) return safe;
  std::string quoted = "\"";
  for (const char c : safe) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string render_csv(const ReportData& data, const std::vector<ReportColumn>& chosen) {
  const std::vector<ReportColumn> columns = columns_of(chosen);
  std::vector<std::string> headings;
  for (const ReportColumn& column : columns) headings.push_back(column.name);
  std::string out;
  append_record(out, headings);
  for (const ResultRow& row : derive_all(data))
    append_record(out, cells_of(columns, run_of(data, row), row));
  return out;
}

}  // namespace kbench
