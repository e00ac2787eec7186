// A run as one JSON object, for programs: {schema_version, run_id, device, environment, results[]}.
// A result holds every field of reports/facts/fields.hpp. What was not measured is null; then
// `time_ns.reason` (always an object) says why under the same key, e.g. {"compiled": "no Python
// with torch"}. NaN and infinity are null as well. The text is pure ASCII, so that nothing in it
// can steer a terminal. data/schema describes both texts.
#pragma once

#include <optional>
#include <string>

#include "reports/facts/model.hpp"
#include "runner/core/json.hpp"
#include "runner/reward/reward.hpp"

namespace kbench {

// Raised when a field changes its meaning or goes away; a new field does not raise it. 2: `pay` is
// failure for a failing row, and null for a row without a reward.
inline constexpr int kReportSchemaVersion = 2;

// One row as an object; with a reward where one is asked for: the field `reward`, see
// reports/facts/rewards.hpp.
[[nodiscard]] Json result_json(const ResultRow& row, const std::optional<RewardRule>& reward = {});
[[nodiscard]] Json report_json(const ReportData& data);
// report_json, indented, with a line break at the end.
[[nodiscard]] std::string render_json(const ReportData& data);
// One line for each result, which names its run: files of many runs can be put one after another.
[[nodiscard]] std::string render_json_lines(const ReportData& data);

}  // namespace kbench
