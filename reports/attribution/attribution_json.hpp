// Findings of a study of feedback, for programs: {schema_version, primary, lines, states, census[],
// undecided, alarms[], components[], effects[], differences[], arms[], controls[], transfers[]}.
// What is not known is null; where an estimate has no interval, its `basis` says why.
#pragma once

#include "runner/attribution/analysis.hpp"
#include "runner/core/json.hpp"

namespace kbench {

// Raised when a member changes its meaning or goes away.
inline constexpr int kAttributionSchemaVersion = 1;

[[nodiscard]] Json attribution_json(const Attribution& found);

}  // namespace kbench
