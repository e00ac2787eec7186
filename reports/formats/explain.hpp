// Sentences on what the rows of a run mean: `kbench explain`. Whether a submission is correct, how
// long a call takes, why its speed-up has the verdict that it has or none, why it counts nowhere,
// and what to do. Pure. Every text is sanitized.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reports/facts/model.hpp"
#include "runner/core/json.hpp"

namespace kbench {

struct ExplainedRow {
  std::string task;        // "level1/019_relu"
  std::string submission;  // its path, "v1.cpp"; empty without one
  std::string agent;       // agent of the submission; empty without one
  std::string answer;      // "✓ correct · 1.72 ms · 1.15× eager"
  std::vector<std::string> sentences;
};

// The rows of which `is_meant` holds, by task and agent.
[[nodiscard]] std::vector<ExplainedRow> explain_rows(
    const ReportData& data, const std::function<bool(const ResultRow&)>& is_meant);

// Sentences that hold for all rows: the run, its device, whether it is finished and as it was
// stored.
[[nodiscard]] std::vector<std::string> explain_run(const ReportData& data);

[[nodiscard]] std::string explanation_text(const ReportData& data,
                                           const std::vector<ExplainedRow>& rows);
[[nodiscard]] Json explanation_json(const ReportData& data, const std::vector<ExplainedRow>& rows);

}  // namespace kbench
