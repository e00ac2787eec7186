// Makes trials of candidates (trial_order.hpp) on an oracle, under the measuring lock. One oracle
// serves one candidate after another.
#pragma once

#include <string>

#include "runner/core/result.hpp"
#include "runner/measure/oracle/oracle_process.hpp"
#include "runner/synthesis/trial_order.hpp"

namespace kbench {

// The class of `tasks lint`: TF32's own errors would let a rounded output pass on CUDA.
inline constexpr const char* kSynthPrecision = "fp32";

// The answer of an oracle on that device ("cpu", "cuda"). Errors: those of reading the task.
[[nodiscard]] Result<TrialAnswer> make_trial(OracleProcess& oracle, const std::string& device,
                                             const TrialOrder& order);

// Puts a new process in place of an oracle that an answer spoils. Errors: no device answers.
[[nodiscard]] Status renew_oracle(OracleProcess& oracle);

}  // namespace kbench
