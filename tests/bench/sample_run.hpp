// A run of the size that people store: `tasks` evaluations of 300 samples each.
#pragma once

#include <string>

#include "reports/facts/model.hpp"

namespace kbench::bench {

inline Evaluation sample_evaluation(int index) {
  Evaluation evaluation;
  evaluation.run_id = "0123456789abcdef0123456789abcdef";
  evaluation.key = std::to_string(index);
  evaluation.task = "level1/task_" + std::to_string(index);
  evaluation.level = 1;
  evaluation.size = "full";
  evaluation.device = "cuda";
  evaluation.submission = SubmissionId{.agent = "example", .name = "task.cu"};
  evaluation.state = State::kOk;
  evaluation.correct = true;
  for (int block = 0; block < 50; ++block)
    for (int visit = 0; visit < 2; ++visit)
      for (const Side side : {Side::kEager, Side::kCompiled, Side::kSubmission})
        evaluation.samples.push_back({.placement = block,
                                      .block = block,
                                      .visit = visit,
                                      .side = side,
                                      .time_ns = 1'000'000 + 1000 * block});
  return evaluation;
}

inline ReportData sample_run(int tasks) {
  ReportData data;
  data.run.id = "0123456789abcdef0123456789abcdef";
  data.run.started_at = "2026-01-01T00:00:00Z";
  data.run.configuration = data.run.environment = "{}";
  for (int i = 0; i < tasks; ++i) data.evaluations.push_back(sample_evaluation(i));
  return data;
}

}  // namespace kbench::bench
