// The order for a bench, and what a bench tells of a profile: facts that the parts of a bench share
// (run_builds.hpp, unit_measurer.hpp), which know nothing of RunBench.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/activity/activity.hpp"
#include "runner/core/device_limits.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/run/run_terms.hpp"
#include "runner/run/submission_builds.hpp"
#include "runner/submission/disassembly.hpp"

namespace kbench {

// All that the machine tells of the calls of a profile.
struct BenchProfile {
  RecordedActivity recorded;
  DeviceFacts device;
  std::optional<DeviceLimits> limits;  // as calibrated
  DevicePeaks peaks;
  // The compiler's words on a submission that nvcc compiled, with ptxas -v, and its instructions.
  std::string compiler_words;
  std::optional<InstructionCounts> instructions;
  std::vector<std::string> missing;  // a line each: what is not there, and why
  // Share of a time in which some program waited for a core: of the calls, and of measuring the
  // peaks.
  double waited_in_calls = 0;
  double waited_in_peaks = 0;
};

// All of these outlive the bench.
struct BenchOrder {
  const RunRequest& request;
  const RunTerms& terms;
  Plan& plan;  // its units that cannot be played on this machine are ended as skipped
  ProgressSink& progress;
  CompilerTells compiler_tells = CompilerTells::kWarnings;
};

}  // namespace kbench
