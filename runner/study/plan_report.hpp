// A made plan for its reader, before anything is asked: states, cells, tokens, cost, precision.
#pragma once

#include <optional>
#include <string>

#include "runner/core/json.hpp"
#include "runner/study/make_plan.hpp"

namespace kbench {

[[nodiscard]] std::string plan_text(const MadePlan& made, const std::optional<Price>& price);

// {schema_version, study, states, replicates, cells, requests, tokens, turns, usd, census[],
// precision[]}.
[[nodiscard]] Json plan_json(const MadePlan& made, const std::optional<Price>& price);

}  // namespace kbench
