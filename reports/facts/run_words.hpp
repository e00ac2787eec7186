// The runs of a report in a few words.
#pragma once

#include <string>

#include "reports/facts/model.hpp"

namespace kbench {

// "run 3f0a91b2c4d5, 1 row"; "runs 3f0a91b2c4d5, 77c2d4e6f801, 4 rows".
[[nodiscard]] std::string which_runs(const ReportData& data);

}  // namespace kbench
