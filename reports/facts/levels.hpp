// A report of some levels of a run: KernelBench's format is of one level.
#pragma once

#include <string>
#include <vector>

#include "reports/facts/model.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Leaves rows of these levels, and has data.levels say so; no level: all. Errors: kNotFound, naming
// the levels that there are, if no row is left.
[[nodiscard]] Status keep_levels(ReportData& data, const std::vector<int>& levels);

// Whether a report of data.levels shows the task ("level3/043_mingptcausalattention").
[[nodiscard]] bool shows_task(const ReportData& data, const std::string& task);

}  // namespace kbench
