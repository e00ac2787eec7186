// By which rule and on which inputs a run judges: kbench's own way, or that of another benchmark so
// that its published results can be compared. Results of different profiles are never ranked
// together: a run has one profile, and it is stored with each row. Chosen by `kbench run
// --profile`.
#pragma once

#include <span>
#include <string_view>

#include "runner/core/result.hpp"
#include "runner/verify/acceptance.hpp"

namespace kbench {

struct JudgingProfile {
  std::string_view name;
  AcceptanceRule acceptance;
  // Inputs and parameters as KernelBench draws them, where the task has mended that; no hard draws.
  bool original_draws = false;
  // Python: ModelNew keeps the parameters that its __init__ draws, after the seed of the task's
  // Model.
  bool seeds_models = false;
};

// "kbench" first, the default; "kernelbench": its inputs and parameters, allclose at 1e-4 (its
// tolerance for float32); "cuda-agent": the same inputs, allclose at 1e-2.
[[nodiscard]] std::span<const JudgingProfile> profiles();
// Errors: kUsage for an unknown name.
[[nodiscard]] Result<JudgingProfile> find_profile(std::string_view name);

}  // namespace kbench
