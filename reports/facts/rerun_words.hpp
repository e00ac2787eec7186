// `kbench run --last-failed` and `--rerun` make a run of a part of another one: its scores are
// those of what had failed, and a report has to say so.
#pragma once

#include <string>

#include "runner/core/evaluation.hpp"

namespace kbench {

// "Only what failed in run 0123456789ab was run again", from the run's configuration, which may be
// foreign; empty for any other run.
[[nodiscard]] std::string rerun_words(const Run& run);

}  // namespace kbench
