// A run in a few words, for reports.
#pragma once

#include <string>

#include "reports/facts/model.hpp"
#include "runner/core/evaluation.hpp"

namespace kbench {

// "run 3f0a91b2c4d5, 1 row"; "runs 3f0a91b2c4d5, 77c2d4e6f801, 4 rows".
[[nodiscard]] std::string which_runs(const ReportData& data);

// "Only what failed in run 0123456789ab was run again": `kbench run --last-failed` and `--rerun`
// make a run of a part of another one, whose scores are those of what had failed. From the run's
// configuration, which may be foreign; empty for any other run.
[[nodiscard]] std::string rerun_words(const Run& run);

// When the device was calibrated, a check of the clock failed: its intervals are wider than a good
// calibration makes them. What failed, and what to do; empty of a run without such a check.
[[nodiscard]] std::string calibration_caution(const Run& run);

}  // namespace kbench
