// The choices of a run (core/run_choices.hpp) between a request and the configuration of a stored
// run, which --resume must find unchanged; and the state of its submissions, as JSON for the store.
#pragma once

#include <optional>
#include <string>

#include "runner/core/json.hpp"
#include "runner/machine/device_facts.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/run_request.hpp"

namespace kbench {

// The choices that decide which rows a run has and how they are measured, and facts that do as
// well. `torch`: the oracle's version of it.
[[nodiscard]] Json describe_configuration(const RunRequest& request, const Plan& plan,
                                          const DeviceFacts& device, const std::string& torch);

// Completes the request by a configuration. A choice that was typed (`given`), or is not what it is
// by default, stays as it is. The configuration may be of any origin: what is of another form is
// left out. Neither `rerun` nor `shard`: those are of one run.
void take_choices(const Json& configuration, RunRequest& request);

// Completes `rerun` and `rerun_of`.
void take_rerun(const Json& configuration, RunRequest& request);

// The first choice that two configurations do not share: one of them has it alone, or another value
// of it.
[[nodiscard]] std::optional<std::string> first_difference(const Json& before, const Json& now);

// Null where they are in no git repository, and for the shipped examples.
[[nodiscard]] Json describe_submissions(const Plan& plan);

// Null for the shipped examples.
[[nodiscard]] Json describe_files(const Plan& plan);

}  // namespace kbench
