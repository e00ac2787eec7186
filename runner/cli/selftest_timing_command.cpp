#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "runner/again/clock_selftest.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"

namespace kbench {
namespace {

void print_table(const ClockFindings& findings, const Terminal& out) {
  const StoredCalibration& stored = findings.calibration;
  fmt::print("{}  {}, {} runs\n\n", out.paint(Color::kBold, "timing"),
             printable(stored.device.name), stored.runs);
  fmt::print("{:6}  {:42}  {:>9}  {:>9}  {:>8}  {:>9}  {}\n", "", "beside relu", "planted", "seen",
             "bias", "deviation", "told apart");
  for (const ClockCheck& check : findings.checks) {
    fmt::print("{}  {:42}  {:>+8.2f}%  {:>+8.2f}%  {:>+7.2f}%  {:>8.2f}%  {} of {}\n",
               out.paint(check.passed ? Color::kGreen : Color::kRed,
                         fmt::format("{:6}", check.passed ? "PASS" : "FAIL")),
               check.what, 100 * check.expected, 100 * check.seen, 100 * check.bias(),
               100 * check.deviation, check.found, check.runs);
  }
  if (findings.missing > 0)
    fmt::print("{}  {} not measured\n", out.paint(Color::kRed, "FAIL  "), findings.missing);
  fmt::print("\n");
  if (findings.empty_call_ns)
    fmt::print("an empty call takes {:.3f} ms; {}\n", *findings.empty_call_ns * 1e-6,
               stored.device.device == "cpu" ? "it is taken off every time"
                                             : "what a call takes beyond that bounds its claim");
  fmt::print("{} of {} intervals hold the median of the other runs; half-width {:.2f} %\n",
             findings.coverage.held, findings.coverage.total,
             100 * findings.coverage.median_half_width);
  fmt::print(
      "equal runs differ by {:.2f} % (standard deviation), sessions of one run by {:.2f} %\n",
      100 * stored.calibration.between_runs, 100 * stored.calibration.between_sessions);
  if (findings.busy > 0)
    fmt::print("{} evaluations ran beside other programs: calibrate again without them\n",
               findings.busy);
}

Result<ClockFindings> perform(const TimingSelftestRequest& request,
                              const Installation& installation) {
  const int verbosity = request.common.verbosity;
  RunFace face(with_verbosity(request.common, std::min(verbosity, 0)));
  return test_clock(
      {.suite = request.common.suite, .device = request.device, .rounds = request.rounds},
      installation, face, [&](const std::string& text) { say(request.common, text); });
}

}  // namespace

CLI::App* add_timing(CLI::App& selftest, TimingSelftestRequest& options) {
  auto& timing = add_verb(selftest, "timing",
                          "Check the clock on known differences, and calibrate this device");
  timing.add_option("--device", options.device, "cpu, cuda or cuda:N (default: what there is)")
      ->check(device_name())
      ->type_name("");
  add_number(timing, "--rounds", options.rounds, 1, 1000,
             "Runs to make; one calibrates nothing (default: 5 on CUDA, 3 on a CPU)");
  add_json(timing, options.format);
  add_common(timing, options.common, false);
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
  if (request.format == OutputFormat::kJson) {
    fmt::print("{}\n", clock_json(*findings).dump(2));
  } else {
    print_table(*findings, inspect_terminal(STDOUT_FILENO, request.common.color));
  }
  const std::size_t failed = findings->failed();
  const std::string kept = findings->calibration.runs < 2
                               ? "one run calibrates nothing"
                               : "the calibration is kept, and holds for runs from now on";
  return End{failed == 0 ? ExitCode::kGood : ExitCode::kInfrastructure,
             failed == 0 ? kept : fmt::format("{} checks failed; {}", failed, kept)};
}

}  // namespace kbench
