#include <unistd.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/device/limits.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/plan/run_plan.hpp"

namespace kbench {
namespace {

struct Line {
  std::string what;
  MeasuredLimit limit;
  const char* unit;
  double scale;
  double stated = 0;  // by the data sheet
};

std::vector<Line> lines_of(const DeviceLimits& limits, const DeviceSheet* sheet) {
  const double stated = sheet == nullptr ? 0 : sheet->bytes_per_s;
  std::vector<Line> lines{{"copy (read and written)", limits.copy, "GB/s", 1e-9, stated},
                          {"read", limits.read, "GB/s", 1e-9, stated},
                          {"write", limits.write, "GB/s", 1e-9, stated}};
  for (const auto& [precision, products] : limits.products) {
    Line line{"products " + precision, products, "TFLOP/s", 1e-12};
    if (sheet != nullptr && sheet->products.contains(precision))
      line.stated = sheet->products.at(precision);
    lines.push_back(line);
  }
  for (const auto& [width, vectors] : limits.vectors)
    lines.push_back({fmt::format("multiply-adds, {} bits", width), vectors, "TFLOP/s", 1e-12});
  if (limits.launch_ns.value > 0) lines.push_back({"launch", limits.launch_ns, "us", 1e-3});
  return lines;
}

void print_limits(const MeasuredDevice& measured, const DeviceSheet* sheet, const Terminal& out) {
  fmt::print("{}  {}\n\n", out.paint(Color::kBold, "limits"), printable(measured.device.name));
  fmt::print("{:26}  {:>18}  {:>8}  {}\n", "", "best of 12 rounds", "spread",
             sheet == nullptr ? "" : "data sheet");
  for (const Line& line : lines_of(measured.limits, sheet)) {
    fmt::print("{:26}  {:>10.4g} {:7}  {:>6.1f} %  {}\n", line.what, line.limit.value * line.scale,
               line.unit, 100 * line.limit.spread,
               line.stated > 0 ? fmt::format("{:.4g} ({:.0f} %)", line.stated * line.scale,
                                             100 * line.limit.value / line.stated)
                               : "");
  }
  for (const std::string& caution : cautions_of(measured.limits, sheet))
    fmt::print("{}  {}\n", out.paint(Color::kYellow, "caution"), caution);
}

Result<MeasuredDevice> measure_and_keep(const CalibrateRequest& request,
                                        const Installation& installation) {
  if (installation.state.empty()) {
    return Error{ErrorCode::kUsage, "there is no place to keep a calibration",
                 "set HOME or XDG_STATE_HOME"};
  }
  RunRequest asked;
  if (request.device) asked.device.emplace(*request.device);
  const auto target = choose_target(asked, installation);
  if (!target) return target.error();
  DeviceSession session(installation, SessionTurns::kOne);
  auto measured = measure_device_limits(session, *target, /*wait=*/true);
  if (!measured) return measured.error();
  if (auto kept = keep_limits(installation.state, measured->device, measured->limits); !kept)
    return kept.error();
  return measured;
}

}  // namespace

CLI::App* add_calibrate(CLI::App& app, CalibrateRequest& options) {
  auto& calibrate = add_verb(
      app, "calibrate", "Measure this device once: its limits, and by how much equal runs differ");
  calibrate.add_option("--device", options.device, "cpu, cuda or cuda:N (default: what there is)")
      ->check(device_name())
      ->type_name("");
  calibrate.add_option("--only", options.only, "One half: limits (seconds) or timing (minutes)")
      ->check(one_of({"limits", "timing"}))
      ->type_name("");
  add_number(calibrate, "--rounds", options.rounds, 1, 1000,
             "Runs of the timing half; one calibrates nothing (default: 5 on CUDA, 3 on a CPU)");
  add_json(calibrate, options.format);
  add_common(calibrate, options.common, false);
  return &calibrate;
}

Result<End> call(const CalibrateRequest& request, const Installation& installation) {
  if (request.only != "timing") {
    const auto measured = measure_and_keep(request, installation);
    if (!measured) return measured.error();
    const DeviceSheet* sheet = find_device_sheet(measured->device.name);
    if (request.format == OutputFormat::kJson) {
      fmt::print("{}\n", limits_json(*measured, sheet).dump(2));
    } else {
      print_limits(*measured, sheet, inspect_terminal(STDOUT_FILENO, request.common.color));
    }
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
