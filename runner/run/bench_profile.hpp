// The calls of a profile, as the bench tells them (run_bench.hpp, unit_measurer.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/activity/activity.hpp"
#include "runner/core/device_limits.hpp"
#include "runner/machine/device_facts.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/submission/disassembly.hpp"

namespace kbench {

// All that the machine tells of the calls of a profile.
struct BenchProfile {
  RecordedActivity recorded;
  DeviceFacts device;
  std::optional<DeviceLimits> limits;  // calibrated ones
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

}  // namespace kbench
