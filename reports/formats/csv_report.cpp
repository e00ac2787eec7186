#include "reports/formats/csv_report.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/json_text.hpp"
#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

constexpr std::array<std::string_view, 8> kSpeedupParts{
    "estimate", "low", "high", "verdict", "confidence", "half_width", "units", "calibrated"};

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

std::vector<std::string> headings() {
  std::vector<std::string> cells{"run_id", "started_at"};
  for (const Field& field : result_fields()) {
    if (field.unit != Unit::kSpeedup) {
      cells.emplace_back(field.name);
      continue;
    }
    for (const std::string_view part : kSpeedupParts)
      cells.push_back(fmt::format("{}.{}", field.name, part));
  }
  return cells;
}

std::vector<std::string> cells_of(const Run& run, const ResultRow& row) {
  std::vector<std::string> cells{csv_text(run.id), csv_text(run.started_at)};
  for (const Field& field : result_fields()) {
    const Json value = field.value(row);
    if (field.unit != Unit::kSpeedup) {
      cells.push_back(csv_cell(value));
      continue;
    }
    for (const std::string_view part : kSpeedupParts)
      cells.push_back(value.is_null() ? "" : csv_cell(value.at(std::string(part))));
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

std::string render_csv(const ReportData& data) {
  std::string out;
  append_record(out, headings());
  for (const ResultRow& row : derive_all(data))
    append_record(out, cells_of(run_of(data, row), row));
  return out;
}

}  // namespace kbench
