// The state that the parts of one evaluation share: checks (correctness_checks.hpp), times
// (timed_blocks.hpp), and the evaluator, which has them in order.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/measure/call_protocol.hpp"
#include "runner/measure/evaluation_request.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/measure/secret.hpp"
#include "runner/task/working_type.hpp"
#include "runner/verify/acceptance.hpp"

namespace kbench {

struct EvaluationAtHand {
  EvaluationAtHand(const EvaluationRequest& asked, const EvaluationSettings& how, Oracle& judge,
                   const WorkerFactory& start_worker, WaitBudget& budget, Evaluation& result)
      : request(asked),
        settings(how),
        rule(for_task(how.acceptance, *asked.size)),
        fast_math_rule(for_fast_math(rule, *asked.size)),
        oracle(judge),
        record(result),
        keys(asked.seed),
        calls(asked, how, judge, start_worker, keys, budget, result) {}

  [[nodiscard]] bool has_submission() const { return request.submission.has_value(); }
  [[nodiscard]] bool on_cpu() const { return request.device == "cpu"; }
  // Whether tensors are in 16 bits.
  [[nodiscard]] bool in_half() const { return working_type(request.precision) != DType::kFloat32; }

  const EvaluationRequest& request;
  const EvaluationSettings& settings;
  const AcceptanceRule rule;
  const std::optional<AcceptanceRule> fast_math_rule;
  Oracle& oracle;
  Evaluation& record;
  const KeySchedule keys;
  CallProtocol calls;

  std::vector<Side> sides;              // sides that play, eager first and the submission last
  std::vector<EagerError> eager_error;  // the worst over all of the task's own draws so far
  bool model_draws_parameters = false;
};

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace kbench
