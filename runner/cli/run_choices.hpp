// The choices of a run and the state of its submissions, as JSON for the store. Facts only, but for
// the configuration, which --resume must find unchanged.
#pragma once

#include <optional>
#include <string>

#include "runner/backend/backend.hpp"
#include "runner/cli/options.hpp"
#include "runner/cli/run_plan.hpp"
#include "runner/core/json.hpp"

namespace kbench {

// The choices that decide which rows a run has and how they are measured. `torch`: the oracle's
// version of it.
[[nodiscard]] Json describe_configuration(const RunOptions& options, const Plan& plan,
                                          const DeviceFacts& device, const std::string& torch);

// The first choice that two configurations do not share: one of them has it alone, or another value
// of it.
[[nodiscard]] std::optional<std::string> first_difference(const Json& before, const Json& now);

// Null where they are in no git repository, and for the shipped examples.
[[nodiscard]] Json describe_submissions(const Plan& plan);

// Null for the shipped examples.
[[nodiscard]] Json describe_files(const Plan& plan);

}  // namespace kbench
