// Value targets for an episode's turns: generalised advantage estimation (Schulman et al., arXiv
// 1506.02438), with the constants of CUDA Agent (arXiv 2602.24286). Pure functions.
//
//   δ_t = r_t + γ V_{t+1} − V_t        Â_t = Σ_l (γλ)^l δ_{t+l}        target_t = V_t + Â_t
//
// Without values there is no advantage, and the target is the return Σ_l γ^l r_{t+l}: with V = 0 in
// the formula, the target would decay as λ^(T−t) and teach the critic how far the end is.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

inline constexpr double kDiscount = 1;       // γ
inline constexpr double kTraceDecay = 0.95;  // λ

struct ValueTargets {
  std::vector<double> targets;                    // target of each turn
  std::optional<std::vector<double>> advantages;  // none unless there are values
};

// `values` has V of each turn, and may have one more, of what comes after the last: without it the
// episode ends there, and that is worth 0. Errors: kBadInput, where the numbers of entries do not
// fit, or a value is no finite number.
[[nodiscard]] Result<ValueTargets> value_targets(std::span<const double> rewards,
                                                 std::span<const double> values,
                                                 double discount = kDiscount,
                                                 double trace_decay = kTraceDecay);

// Targets without values.
[[nodiscard]] ValueTargets value_targets(std::span<const double> rewards,
                                         double discount = kDiscount);

}  // namespace kbench
