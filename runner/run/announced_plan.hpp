// The announcement of a run, told before it begins.
#pragma once

#include "runner/core/progress_sink.hpp"
#include "runner/plan/run_plan.hpp"

namespace kbench {

// How many tasks on which device, whose submissions, and what was left out.
void announce_plan(const Plan& plan, ProgressSink& progress);

// Announces every file; those that were meant as submissions by name.
void announce_files(const Census& census, ProgressSink& progress);

}  // namespace kbench
