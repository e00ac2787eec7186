#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/device/calibrated_limits.hpp"
#include "runner/plan/device_choice.hpp"
#include "runner/print/machine_text.hpp"

namespace kbench {
namespace {

Result<MeasuredDevice> measure(const CalibrateRequest& request, const Installation& installation) {
  const auto target = choose_target({.device = request.device}, installation);
  if (!target) return target.error();
  return measure_device_limits(installation, *target);
}

}  // namespace

CLI::App* add_calibrate(CLI::App& app, CalibrateRequest& options) {
  auto& calibrate = add_verb(
      app, "calibrate", "Measure this device once: its limits, and by how much equal runs differ");
  add_device(calibrate, options.device, "cpu, cuda or cuda:N (default: what there is)");
  add_word(calibrate, "--only", options.only, {"limits", "timing"},
           "One half: limits (seconds) or timing (minutes)");
  add_number(calibrate, "--rounds", options.rounds, 1, 1000,
             "Runs of the timing half; one calibrates nothing (default: 5 on CUDA, 3 on a CPU)");
  add_json(calibrate, options.format);
  add_common(calibrate, options.common, false);
  return &calibrate;
}

Result<End> call(const CalibrateRequest& request, const Installation& installation) {
  if (request.only != "timing") {
    const auto measured = measure(request, installation);
    if (!measured) return measured.error();
    const DeviceSheet* sheet = find_device_sheet(measured->device.name);
    if (request.format == OutputFormat::kJson)
      fmt::print("{}\n", limits_json(*measured, sheet).dump(2));
    else
      fmt::print("{}", limits_text(*measured, sheet, standard_output(request.common)));
    if (request.only == "limits") return good("the limits are kept, and hold for runs from now on");
    if (request.format == OutputFormat::kTable) fmt::print("\n");
  }
  auto end = call(TimingSelftestRequest{.common = request.common,
                                        .device = request.device,
                                        .rounds = request.rounds,
                                        .format = request.format},
                  installation);
  if (end && end->code == ExitCode::kInterrupted && request.only != "timing")
    end->summary += "; the limits are kept. `kbench calibrate --only timing` does the rest";
  return end;
}

}  // namespace kbench
