// Several runs as one: levels or agents that were measured apart, side by side. For the formats
// that take several runs.
#pragma once

#include <vector>

#include "reports/facts/model.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// `runs` holds at least one. What an agent has in several runs for one task is its last run's, in
// the order given. A chain that does not hold is the joined run's. Errors: kUsage where two of them
// may not be compared, naming what differs.
[[nodiscard]] Result<ReportData> join_runs(std::vector<ReportData> runs);

}  // namespace kbench
