#include "runner/lint/lint_json.hpp"

#include <utility>

namespace kbench {
namespace {

constexpr int kSchemaVersion = 1;

Json row_json(const LintRow& row) {
  const LintRecord& record = row.outcome.record;
  auto findings = Json::array();
  for (const LintFinding& finding : record.findings) {
    findings.push_back({{"weight", to_string(finding.weight)},
                        {"kind", finding.kind},
                        {"subject", finding.subject},
                        {"message", finding.message}});
  }
  return {{"task", record.task},
          {"task_hash", record.task_hash},
          {"size", record.size},
          {"device", record.device},
          {"state", to_string(record.state)},
          {"mutants", record.mutants},
          {"rejected", record.rejected},
          {"eager_ms", row.outcome.eager_ms},
          {"eager_error", row.outcome.eager_error},
          {"seconds", row.seconds},
          {"findings", std::move(findings)}};
}

}  // namespace

Json lint_json(const std::vector<LintRow>& rows) {
  Json json = {{"schema_version", kSchemaVersion}, {"tasks", Json::array()}};
  for (const LintRow& row : rows) json["tasks"].push_back(row_json(row));
  return json;
}

}  // namespace kbench
