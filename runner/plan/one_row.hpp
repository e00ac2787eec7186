// The plan of a command that does something with one submission, or with one task.
#pragma once

#include <string_view>

#include "runner/core/result.hpp"
#include "runner/plan/run_plan.hpp"

namespace kbench {

// A submission that cannot be played here. Errors: kUsage.
[[nodiscard]] Status check_played(const PlannedRow& row);

// The plan of a request that makes exactly one row, which can be played at the plan's size. `verb`:
// the command, "profile". Errors: kUsage; kNotFound, the task has no such size; those of make_plan.
[[nodiscard]] Result<Plan> plan_one_row(const RunRequest& request, const Installation& installation,
                                        std::string_view verb);

}  // namespace kbench
