// Rows with nothing but what scores look at.
#pragma once

#include <string>
#include <utility>

#include "reports/facts/model.hpp"

namespace kbench::test {

// An interval of 1 % on either side, of a row that has a verdict.
inline Speedup sure_speedup(double estimate) {
  Speedup made{.estimate = estimate,
               .low = estimate / 1.01,
               .high = estimate * 1.01,
               .confidence = 0.95,
               .units = 9,
               .calibrated = true};
  made.verdict = made.low > 1    ? Verdict::kFaster
                 : made.high < 1 ? Verdict::kSlower
                                 : Verdict::kUndecided;
  return made;
}

// A correct row of an agent for task number `task` of level 1.
inline ResultRow solved(std::string agent, int task, double over_eager, double over_compiled = 0) {
  ResultRow row;
  row.task = "level1/" + std::to_string(task);
  row.level = 1;
  row.size = "small";
  row.device = "cpu";
  row.has_submission = true;
  row.agent = std::move(agent);
  row.submission = row.agent + "/" + row.task;
  row.state = State::kOk;
  row.correct = true;
  row.eager.median_ns = 1e6;
  row.submitted.median_ns = 1e6 / over_eager;
  row.over_eager = sure_speedup(over_eager);
  if (over_compiled > 0) {
    row.compiled.median_ns = 1e6 * over_compiled / over_eager;
    row.over_compiled = sure_speedup(over_compiled);
  }
  return row;
}

inline ResultRow failed(std::string agent, int task, State state = State::kWrongResult) {
  ResultRow row = solved(std::move(agent), task, 1);
  row.state = state;
  row.correct = state == State::kWrongResult ? std::optional(false) : std::nullopt;
  row.over_eager.reset();
  row.submitted.median_ns.reset();
  return row;
}

}  // namespace kbench::test
