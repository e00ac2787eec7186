// Lints one task: draws its inputs, computes its reference once for each draw, and lets the oracle
// play submissions that are wrong on purpose; each is judged by the rule, the bounds and the
// comparison that judge a real submission (runner/verify, Backend::compare). A mutation that no
// draw rejects is a flaw of the task. One oracle serves one task after another.
#pragma once

#include <string>

#include "runner/core/lint_record.hpp"
#include "runner/lint/graph_facts.hpp"
#include "runner/measure/oracle/mutations.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/task/task.hpp"
#include "runner/verify/acceptance.hpp"

namespace kbench {

struct LintRequest {
  const Task* task = nullptr;
  const TaskSize* size = nullptr;
  std::string device;  // "cpu" or "cuda"
  std::string seed;    // random_seed()'s; tests give a fixed one
};

struct LintSettings {
  AcceptanceRule acceptance;
  int draws = 3;            // draws on which a mutation may be rejected
  int most_operators = 12;  // left out, one at a time; more than that are sampled evenly
  int most_parameters = 12;
  DType type = DType::kFloat32;  // type that replaces float32 in the task's tensors
  // Checks only what decides whether the task may rank rows: outputs that do not depend on the
  // inputs, and how exact eager is. That takes as long as two references and some comparisons.
  bool only_whether_it_ranks = false;
};

struct LintOutcome {
  LintRecord record;    // version and time are the caller's
  double eager_ms = 0;  // one call, a rough figure; 0 where it was not reached
  // E of the worst output on the task's own draws, in units of that output's root mean square; S of
  // the acceptance rule in 16 bits.
  double eager_error = 0;
};

// `mutations` is the same process as `oracle`. An oracle that fails gives the state kUnable.
[[nodiscard]] LintOutcome lint_task(const LintRequest& request, const LintSettings& settings,
                                    const GraphFacts& graph, Oracle& oracle,
                                    MutationSource& mutations);

// Decides the state from the findings, after marking those that the task accepts.
void settle(const Task& task, LintRecord& record);

}  // namespace kbench
