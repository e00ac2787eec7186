#include "runner/print/machine_text.hpp"

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

Color color_of(Health health) {
  switch (health) {
    case Health::kPass: return Color::kGreen;
    case Health::kCaution: return Color::kYellow;
    case Health::kSkipped: return Color::kDim;
    case Health::kFail: return Color::kRed;
  }
  return Color::kRed;
}

Color color_of(EscapeOutcome outcome) {
  switch (outcome) {
    case EscapeOutcome::kBlocked: return Color::kGreen;
    case EscapeOutcome::kOpen: return Color::kRed;
    case EscapeOutcome::kNotApplicable: return Color::kDim;
    case EscapeOutcome::kFailed: return Color::kRed;
  }
  return Color::kRed;
}

struct LimitLine {
  std::string what;
  MeasuredLimit limit;
  const char* unit;
  double scale;
  double stated = 0;  // the data sheet's number
};

std::vector<LimitLine> lines_of(const DeviceLimits& limits, const DeviceSheet* sheet) {
  const double stated = sheet == nullptr ? 0 : sheet->bytes_per_s;
  std::vector<LimitLine> lines{{"copy (read and written)", limits.copy, "GB/s", 1e-9, stated},
                               {"read", limits.read, "GB/s", 1e-9, stated},
                               {"write", limits.write, "GB/s", 1e-9, stated}};
  for (const auto& [precision, products] : limits.products) {
    LimitLine line{"products " + precision, products, "TFLOP/s", 1e-12};
    if (sheet != nullptr && sheet->products.contains(precision))
      line.stated = sheet->products.at(precision);
    lines.push_back(line);
  }
  for (const auto& [width, vectors] : limits.vectors)
    lines.push_back({fmt::format("multiply-adds, {} bits", width), vectors, "TFLOP/s", 1e-12});
  if (limits.launch_ns.value > 0) lines.push_back({"launch", limits.launch_ns, "us", 1e-3});
  return lines;
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings, const Terminal& out) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format(
        "{}  {:12}  {}\n",
        out.paint(color_of(finding.health), fmt::format("{:7}", to_string(finding.health))),
        finding.check, printable(finding.text));
    if (!finding.remedy.empty()) text += fmt::format("{:23}-> {}\n", "", printable(finding.remedy));
  }
  return text;
}

std::string limits_text(const MeasuredDevice& measured, const DeviceSheet* sheet,
                        const Terminal& out) {
  std::string text =
      fmt::format("{}  {}\n\n", out.paint(Color::kBold, "limits"), printable(measured.device.name));
  text += fmt::format("{:26}  {:>18}  {:>8}  {}\n", "", "best of 12 rounds", "spread",
                      sheet == nullptr ? "" : "data sheet");
  for (const LimitLine& line : lines_of(measured.limits, sheet))
    text += fmt::format("{:26}  {:>10.4g} {:7}  {:>6.1f} %  {}\n", line.what,
                        line.limit.value * line.scale, line.unit, 100 * line.limit.spread,
                        line.stated > 0 ? fmt::format("{:.4g} ({:.0f} %)", line.stated * line.scale,
                                                      100 * line.limit.value / line.stated)
                                        : "");
  for (const std::string& caution : cautions_of(measured.limits, sheet))
    text += fmt::format("{}  {}\n", out.paint(Color::kYellow, "caution"), caution);
  return text;
}

std::string limits_text(const std::vector<MeasuredDevice>& measured, const Terminal& out) {
  std::string text;
  for (const MeasuredDevice& one : measured) {
    if (measured.size() > 1)
      text += fmt::format("{}{}\n", text.empty() ? "" : "\n", printable(one.device.identity));
    text += limits_text(one, find_device_sheet(one.device.name), out);
  }
  return text;
}

std::string clock_text(const ClockFindings& findings, const Terminal& out) {
  const StoredCalibration& stored = findings.calibration;
  std::string text = fmt::format(
      "{}  {}{}, {} runs\n\n", out.paint(Color::kBold, "timing"),
      findings.place.empty() ? ""
                             : fmt::format("{} ({}), ", findings.place, stored.device.identity),
      printable(stored.device.name), stored.runs);
  text += fmt::format("{:6}  {:42}  {:>9}  {:>9}  {:>8}  {:>9}  {}\n", "", "beside relu", "planted",
                      "seen", "bias", "deviation", "told apart");
  for (const ClockCheck& check : findings.checks)
    text += fmt::format("{}  {:42}  {:>+8.2f}%  {:>+8.2f}%  {:>+7.2f}%  {:>8.2f}%  {} of {}\n",
                        out.paint(check.passed ? Color::kGreen : Color::kRed,
                                  fmt::format("{:6}", check.passed ? "PASS" : "FAIL")),
                        check.what, 100 * check.expected, 100 * check.seen, 100 * check.bias(),
                        100 * check.deviation, check.found, check.runs);
  if (findings.missing > 0)
    text +=
        fmt::format("{}  {} not measured\n", out.paint(Color::kRed, "FAIL  "), findings.missing);
  text += "\n";
  const std::string& device = stored.device.device;
  text += fmt::format(
      "PASS: the bias is {:.1f} % of the time at most. A verdict needs more than {:.0f} %, so the "
      "bias makes "
      "none. Told apart: by a run's own samples, however small the difference\n",
      100 * largest_bias(device), 100 * same_margin(device));
  if (findings.empty_call_ns)
    text += fmt::format(
        "kbench's own part of a call is {:.3f} ms by its clock; {}\n",
        *findings.empty_call_ns * 1e-6,
        device == "cpu" ? "it is taken off every time" : "a GPU's times do not contain it");
  text += fmt::format("{} of {} intervals hold the median of the other runs; half-width {:.2f} %\n",
                      findings.coverage.held, findings.coverage.total,
                      100 * findings.coverage.median_half_width);
  text += fmt::format(
      "equal runs differ by {:.2f} % (standard deviation), sessions of one run by {:.2f} %, equal "
      "rows of one run by {:.2f} %\n",
      100 * stored.calibration.between_runs, 100 * stored.calibration.between_sessions,
      100 * findings.between_rows);
  if (findings.busy > 0)
    text += fmt::format("{} evaluations ran beside other programs: calibrate again without them\n",
                        findings.busy);
  return text;
}

std::string clock_text(const std::vector<ClockFindings>& findings, const Terminal& out) {
  std::string text;
  for (const ClockFindings& one : findings)
    text += (text.empty() ? "" : "\n") + clock_text(one, out);
  return text;
}

std::string escape_text(const EscapeResult& result, const Terminal& out) {
  return fmt::format(
      "{}  {:26}  {:8}  {}\n{:16}{}\n",
      out.paint(color_of(result.outcome), fmt::format("{:14}", to_string(result.outcome))),
      result.escape.name, to_string(result.escape.as), result.escape.what, "",
      printable(result.reason));
}

std::string sandbox_text(const SandboxLevel& level) {
  return fmt::format("\nsandbox: {}{}{}\n", level.to_string(), level.reason.empty() ? "" : "; ",
                     printable(level.reason));
}

}  // namespace kbench
