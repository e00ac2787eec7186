// The clock held against differences that are known: measures submissions that differ by so much,
// by the very run that measures all submissions, several times; finds bias and spread of what the
// clock showed and whether intervals hold; and keeps what equal runs of this device differ by as
// its calibration. Prints nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/analysis/calibration.hpp"
#include "runner/analysis/clock_checks.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/device/calibration_file.hpp"
#include "runner/run/run_bench.hpp"
#include "runner/run/run_sink.hpp"

namespace kbench {

struct ClockSelftest {
  std::optional<std::filesystem::path> suite;  // else the installation's
  std::optional<std::string> device;           // "cpu", "cuda" or "cuda:N"; else what there is
  // Devices that are calibrated at once, each in its lane, in the words of plan/device_choice.hpp.
  // Where they come to one, it is calibrated as without them.
  std::optional<std::string> devices = std::nullopt;
  bool busy = false;          // cores that no lane has are at work meanwhile
  std::optional<int> rounds;  // runs; else by the device
};

struct ClockFindings {
  std::string place;  // "cuda:1", of several devices; else empty
  StoredCalibration calibration;
  std::vector<ClockCheck> checks;
  std::size_t missing = 0;  // checks that could not be made
  Coverage coverage;
  double between_rows = 0;  // analysis/clock_checks.hpp
  std::optional<double> empty_call_ns;
  int busy = 0;  // evaluations on a busy machine

  [[nodiscard]] std::size_t failed() const;
};

// The findings on each device, by UUID. `sink` is told of each run, `note` of what lies between
// them. The calibration is kept whether or not every check passed, with the number of those that
// failed: the machine was too restless to measure on, or the clock is wrong, and `kbench doctor`
// says so until the next calibration. One run calibrates nothing. Errors: kUsage, no place for a
// calibration, those of choose_devices; kInfrastructure, with what a run failed with.
[[nodiscard]] Result<std::vector<ClockFindings>> test_clock(
    const ClockSelftest& request, BenchSource& benches, RunSink& sink,
    const std::function<void(const std::string&)>& note);

// {schema_version, device, name, driver, kbench, runs, measured_at, between_sessions, between_runs,
// between_rows, empty_call_ns, coverage, busy, database, missing_checks, checks[]}, and uuid with a
// GPU.
[[nodiscard]] Json clock_json(const ClockFindings& findings);
// The same of one device; of several {schema_version, devices[]}.
[[nodiscard]] Json clock_json(const std::vector<ClockFindings>& findings);

}  // namespace kbench
