#include "reports/json_report.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/fields.hpp"

namespace kbench {
namespace {

// As it was recorded. A row of another origin may hold anything: kept as text then.
Json recorded_json(const std::string& text) {
  Json recorded = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (recorded.is_object()) return recorded;
  return text.empty() ? Json::object() : Json{{"unreadable", text}};
}

Json::json_pointer pointer_of(std::string_view name) {
  std::string path = fmt::format("/{}", name);
  std::replace(path.begin(), path.end(), '.', '/');
  return Json::json_pointer(path);
}

}  // namespace

Json result_json(const ResultRow& row) {
  Json result = Json::object();
  for (const Field& field : result_fields()) result[pointer_of(field.name)] = field.value(row);
  return result;
}

Json report_json(const ReportData& data) {
  Json results = Json::array();
  for (const ResultRow& row : derive_all(data)) results.push_back(result_json(row));
  const std::string device = device_of(data);
  return {{"schema_version", kReportSchemaVersion},
          {"run_id", data.run.id},
          {"started_at", data.run.started_at},
          {"finished_at", data.run.finished_at.empty() ? Json() : Json(data.run.finished_at)},
          {"device", device.empty() ? Json() : Json(device)},
          {"environment", recorded_json(data.run.environment)},
          {"files", data.files.empty() ? Json() : recorded_json(data.files)},
          {"chain", {{"state", to_string(data.chain.state)}, {"message", data.chain.message}}},
          {"results", std::move(results)}};
}

std::string json_text(const Json& report) {
  return report.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

std::string render_json(const ReportData& data) { return json_text(report_json(data)); }

}  // namespace kbench
