// The order for a bench, and for its parts (run_builds.hpp, unit_measurer.hpp), which know nothing
// of RunBench.
#pragma once

#include "runner/core/progress_sink.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/run/run_terms.hpp"
#include "runner/run/submission_builds.hpp"

namespace kbench {

// All of these outlive the bench.
struct BenchOrder {
  const RunRequest& request;
  const RunTerms& terms;
  Plan& plan;  // its units that cannot be played on this machine are ended as skipped
  ProgressSink& progress;
  CompilerTells compiler_tells = CompilerTells::kWarnings;
};

}  // namespace kbench
