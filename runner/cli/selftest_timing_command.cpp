#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "runner/again/clock_selftest.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/device/device_session.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/print/machine_text.hpp"
#include "runner/print/run_face.hpp"
#include "runner/run/device_bench.hpp"

namespace kbench {
namespace {

Result<std::vector<ClockFindings>> perform(const TimingSelftestRequest& request,
                                           const Installation& installation) {
  RunFace face(request.common.color, std::min(request.common.verbosity, 0));
  DeviceSession device(installation, SessionTurns::kMany);
  DeviceBenches benches(device);
  return test_clock({.suite = request.common.suite,
                     .device = request.device,
                     .devices = request.devices,
                     .busy = request.busy,
                     .rounds = request.rounds},
                    benches, face, [&](const std::string& text) { say(request.common, text); });
}

}  // namespace

void add_calibration(CLI::App& verb, TimingSelftestRequest& options) {
  add_device(verb, options.device, "Device (default: the GPU; without one, the CPU)");
  add_devices(verb, options.devices);
  verb.add_flag("--busy", options.busy,
                "With --devices: load the CPU cores that no GPU uses, as compiling in a run does");
  add_number(verb, "--rounds", options.rounds, 1, 1000,
             "Runs for the timing (default: 5 on CUDA, 3 on a CPU); one run gives no calibration");
  add_json(verb, options.format);
  add_common(verb, options.common, false);
}

CLI::App* add_timing(CLI::App& selftest, TimingSelftestRequest& options) {
  auto& timing = add_verb(selftest, "timing",
                          "Check the clock on known differences, and calibrate this device");
  add_calibration(timing, options);
  return &timing;
}

Status calibrate(const TimingSelftestRequest& request, const Installation& installation) {
  const auto findings = perform(request, installation);
  if (!findings) return findings.error();
  return Done{};
}

Result<End> call(const TimingSelftestRequest& request, const Installation& installation) {
  const InterruptGuard guard;
  const auto findings = perform(request, installation);
  if (!findings && guard.interrupted())
    return End{ExitCode::kInterrupted, "interrupted: the timing half is not calibrated"};
  if (!findings) return findings.error();
  if (request.format == OutputFormat::kJson)
    fmt::print("{}\n", clock_json(*findings).dump(2));
  else
    fmt::print("{}", clock_text(*findings, standard_output(request.common)));
  std::size_t failed = 0;
  for (const ClockFindings& one : *findings) failed += one.failed();
  const bool kept = findings->front().calibration.runs > 1;
  if (failed > 0) {
    std::string words = counted(failed, "check") + " failed";
    if (kept)
      words +=
          "; the calibration is kept, and no interval is narrower than what the clock was off by: "
          "calibrate again while nothing else runs";
    return End{ExitCode::kInfrastructure, words};
  }
  return good(kept ? "the calibration is kept, and holds for runs from now on"
                   : "one run calibrates nothing");
}

}  // namespace kbench
