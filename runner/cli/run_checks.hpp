// The options of a run, checked before anything is started, and what they say of its reports.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/print/run_face.hpp"

namespace kbench {

// The options, with their request completed (complete_request), once every output can be written
// and can show such a run. Errors: those of complete_request; kUsage.
[[nodiscard]] Result<RunOptions> check_run_options(const RunOptions& given);

[[nodiscard]] RunReports reports_of(const RunOptions& options, const Installation& installation);

}  // namespace kbench
