#include "reports/formats/json_report.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/fields.hpp"
#include "reports/facts/json_text.hpp"
#include "reports/facts/rewards.hpp"
#include "reports/facts/run_facts.hpp"
#include "reports/facts/without_folders.hpp"

namespace kbench {
namespace {

// The JSON as it was recorded, without folders of the machine. A row of another origin may hold
// anything: kept as text then.
Json recorded_json(const std::string& text) {
  Json json = without_folders_within(recorded(text));
  if (json.is_object()) return json;
  return text.empty() ? Json::object() : Json{{"unreadable", without_folders(text)}};
}

Json::json_pointer pointer_of(std::string_view name) {
  std::string path = fmt::format("/{}", name);
  std::replace(path.begin(), path.end(), '.', '/');
  return Json::json_pointer(path);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json group_json(const RunGroup& group) {
  Json runs = Json::array();
  for (const Run& shard : group.shards) runs.push_back(shard.id);
  return {{"name", group.name},
          {"shards", group.of},
          {"runs", std::move(runs)},
          {"missing", group.missing},
          {"left_out", group.left_out}};
}

}  // namespace

Json result_json(const ResultRow& row, const std::optional<RewardRule>& reward) {
  Json result = Json::object();
  for (const Field& field : result_fields()) result[pointer_of(field.name)] = field.value(row);
  if (reward) result["reward"] = to_json(reward_of(row, *reward));
  return result;
}

Json report_json(const ReportData& data) {
  Json results = Json::array();
  for (const ResultRow& row : derive_all(data)) results.push_back(result_json(row, data.reward));
  const std::string device = device_of(data);
  const std::optional<std::int64_t> seed = facts_of(data.run).seed;
  return {{"schema_version", kReportSchemaVersion},
          {"run_id", data.run.id},
          {"started_at", data.run.started_at},
          {"finished_at", text_or_null(data.run.finished_at)},
          {"night", data.night ? to_json(*data.night) : Json()},
          {"group", data.group ? group_json(*data.group) : Json()},
          {"device", text_or_null(device)},
          {"device_name", text_or_null(data.device_name)},
          {"quick", data.quick},
          {"seed", seed ? Json(*seed) : Json()},
          {"variants", to_string(data.variants)},
          {"environment", recorded_json(data.run.environment)},
          {"files", data.files.empty() ? Json() : recorded_json(data.files)},
          {"chain", {{"state", to_string(data.chain.state)}, {"message", data.chain.message}}},
          {"results", std::move(results)}};
}

std::string render_json(const ReportData& data) { return json_text(report_json(data), 2) + "\n"; }

std::string render_json_lines(const ReportData& data) {
  std::string lines;
  for (const ResultRow& row : derive_all(data)) {
    Json line = result_json(row, data.reward);
    line["schema_version"] = kReportSchemaVersion;
    const Run& run = run_of(data, row);
    line["run_id"] = run.id;
    line["started_at"] = run.started_at;
    lines += json_text(std::move(line)) + "\n";
  }
  return lines;
}

}  // namespace kbench
