#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/device/calibrated_limits.hpp"
#include "runner/plan/device_choice.hpp"
#include "runner/print/machine_text.hpp"

namespace kbench {
namespace {

Result<std::vector<MeasuredDevice>> measure(const CalibrateRequest& request,
                                            const Installation& installation) {
  const auto chosen = choose_devices_of(request.device, request.devices, installation);
  if (!chosen) return chosen.error();
  return measure_limits_of_each(installation, chosen->each());
}

}  // namespace

CLI::App* add_calibrate(CLI::App& app, CalibrateRequest& options) {
  auto& calibrate = add_verb(
      app, "calibrate", "Measure this device once: peak rates, and how much repeated runs differ");
  add_word(calibrate, "--only", options.only, {"limits", "timing"},
           "Measure this half only: limits (seconds) or timing (minutes)");
  add_calibration(calibrate, options);
  return &calibrate;
}

Result<End> call(const CalibrateRequest& request, const Installation& installation) {
  if (request.only != "timing") {
    const auto measured = measure(request, installation);
    if (!measured) return measured.error();
    if (request.format == OutputFormat::kJson)
      fmt::print("{}\n", limits_json(*measured).dump(2));
    else
      fmt::print("{}", limits_text(*measured, standard_output(request.common)));
    if (request.only == "limits") return good("the limits are kept, and hold for runs from now on");
    if (request.format == OutputFormat::kTable) fmt::print("\n");
  }
  auto end = call(static_cast<const TimingSelftestRequest&>(request), installation);
  if (end && end->code == ExitCode::kInterrupted && request.only != "timing")
    end->summary += "; the limits are kept. `kbench calibrate --only timing` does the rest";
  return end;
}

}  // namespace kbench
