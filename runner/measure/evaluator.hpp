// Evaluates one task, or one submission for it, from loading to verdict:
//
//   load -> place -> correctness draws against the fp64 reference -> timed blocks -> verdict
//
// A timed block visits each side twice on two fresh inputs, E C S | S C E, the order of sides drawn
// anew each block. No side sees an input twice; every call of the submission goes through the call
// protocol and is verified. What seems too fast is measured again, by fresh processes and with a
// new key. The oracle and the worker are reached through their interfaces only, so that tests drive
// this code with scripted ones. Writes nothing but the Evaluation.
#pragma once

#include "runner/core/evaluation.hpp"
#include "runner/measure/evaluation_request.hpp"
#include "runner/measure/oracle/oracle.hpp"

namespace kbench {

// The evaluation with state, checks, samples and reasons; the caller adds run id, key and
// provenance.
[[nodiscard]] Evaluation evaluate(const EvaluationRequest& request,
                                  const EvaluationSettings& settings, Oracle& oracle,
                                  const WorkerFactory& start_worker);

}  // namespace kbench
