#include "runner/cli/timing_selftest.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/analysis/calibration.hpp"
#include "runner/analysis/clock_checks.hpp"
#include "runner/analysis/keep.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/run_end.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/core/json.hpp"
#include "runner/core/statistics.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/device/calibration_file.hpp"
#include "runner/measure/oracle.hpp"  // DeviceFacts as JSON
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/run/run_session.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAgent = "clock";
constexpr const char* kPlantedTask = "level1/019_relu";
// Shipped examples that are measured as well, so that a calibration knows more than one kernel: a
// reduction, and a net whose kernels are short.
constexpr std::array kOtherTasks{"level1/023_softmax", "level3/004_lenet5"};

Result<std::string> read_shipped(const fs::path& file) {
  auto text = read_file(file);
  if (text) return std::move(*text);
  return Error{ErrorCode::kInfrastructure, fmt::format("{} cannot be read", file.string()),
               "kbench's installation is incomplete: install it again"};
}

Status write_below(const fs::path& file, const std::string& text) {
  std::error_code ignored;  // what cannot be made cannot be written to
  fs::create_directories(file.parent_path(), ignored);
  return write_new_file(file, text);
}

// One agent's submissions, for either device.
Status write_submissions(const fs::path& folder, const Installation& installation,
                         const std::string& device) {
  const std::string ending = device == "cuda" ? ".cu" : ".cpp";
  const auto clock = read_shipped(installation.selftest / ("clock" + ending));
  if (!clock) return clock.error();
  for (const Planted& one : planted()) {
    const fs::path file =
        folder / kAgent / fmt::format("{}@{}{}", kPlantedTask, one.variant, ending);
    const std::string amount =
        fmt::format("#define KB_PERCENT {}\n#define KB_SPIN_US {}\n", one.percent, one.spin_us);
    if (auto written = write_below(file, amount + *clock); !written) return written;
  }
  for (const char* task : kOtherTasks) {
    const auto source = read_shipped(installation.examples / "example" / (task + ending));
    if (!source) return source.error();
    if (auto written = write_below(folder / kAgent / (task + ending), *source); !written)
      return written;
  }
  std::error_code ignored;  // not every example needs one
  fs::copy(installation.examples / "example/include", folder / kAgent / "include", ignored);
  return Done{};
}

RunRequest request_of_a_run(const TimingSelftestRequest& request, const fs::path& submissions) {
  RunRequest run;
  run.suite = request.common.suite;
  run.tasks.assign(kOtherTasks.begin(), kOtherTasks.end());
  run.tasks.insert(run.tasks.begin(), kPlantedTask);
  run.device = request.device;
  run.submissions = submissions;
  return run;
}

// By submission, one evaluation of each run.
std::vector<EqualRuns> by_submission(const std::vector<std::vector<Evaluation>>& runs) {
  std::map<std::string, EqualRuns> found;
  for (const auto& run : runs)
    for (const Evaluation& evaluation : run)
      if (evaluation.submission && evaluation.state == State::kOk)
        found[evaluation.submission->name].push_back(evaluation);
  std::vector<EqualRuns> all;
  for (auto& [name, equal] : found) all.push_back(std::move(equal));
  return all;
}

std::optional<double> empty_call_ns(const std::vector<std::vector<Evaluation>>& runs) {
  std::vector<double> calls;
  for (const auto& run : runs)
    for (const Evaluation& evaluation : run)
      if (evaluation.null_call_ns) calls.push_back(static_cast<double>(*evaluation.null_call_ns));
  if (calls.empty()) return std::nullopt;
  return median(std::move(calls));
}

struct Findings {
  StoredCalibration calibration;
  std::vector<ClockCheck> checks;
  std::size_t missing = 0;  // checks that could not be made
  Coverage coverage;
  std::optional<double> empty_call_ns;
  int busy = 0;  // evaluations on a busy machine

  [[nodiscard]] std::size_t failed() const {
    return missing + static_cast<std::size_t>(std::count_if(
                         checks.begin(), checks.end(), [](const auto& c) { return !c.passed; }));
  }
};

Findings judge(const std::vector<std::vector<Evaluation>>& runs, StoredCalibration calibration) {
  Findings findings;
  const std::string& device = calibration.device.device;
  auto equal = by_submission(runs);
  const std::string measured_at = calibration.calibration.measured_at;
  calibration.calibration = calibrate(equal, device);
  calibration.calibration.measured_at = measured_at;
  for (EqualRuns& same : equal) {
    for (Evaluation& evaluation : same) {
      evaluation.calibration = calibration.calibration;
      findings.busy += machine_was_busy(evaluation) ? 1 : 0;
    }
  }
  findings.coverage = coverage(equal);
  findings.checks = check_clock(runs, device);
  findings.missing = expected_checks(device) - findings.checks.size();
  findings.empty_call_ns = empty_call_ns(runs);
  findings.calibration = std::move(calibration);
  return findings;
}

Json to_json(const Findings& findings) {
  const StoredCalibration& stored = findings.calibration;
  Json json = {{"schema_version", 1},
               {"device", stored.device.device},
               {"name", stored.device.name},
               {"driver", stored.device.driver},
               {"kbench", stored.device.kbench},
               {"runs", stored.runs},
               {"measured_at", stored.calibration.measured_at},
               {"between_sessions", stored.calibration.between_sessions},
               {"between_runs", stored.calibration.between_runs},
               {"empty_call_ns", findings.empty_call_ns ? Json(*findings.empty_call_ns) : Json()},
               {"coverage",
                {{"held", findings.coverage.held},
                 {"total", findings.coverage.total},
                 {"median_half_width", findings.coverage.median_half_width}}},
               {"busy", findings.busy},
               {"database", stored.database},
               {"missing_checks", findings.missing},
               {"checks", Json::array()}};
  for (const ClockCheck& check : findings.checks) {
    json["checks"].push_back({{"name", check.name},
                              {"what", check.what},
                              {"expected", check.expected},
                              {"seen", check.seen},
                              {"bias", check.bias()},
                              {"deviation", check.deviation},
                              {"runs", check.runs},
                              {"found", check.found},
                              {"passed", check.passed}});
  }
  return json;
}

void print_table(const Findings& findings, const Terminal& out) {
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

struct Measured {
  DeviceFacts facts;
  std::vector<std::vector<Evaluation>> runs;
};

// The runs, one after the other, into a new database. What a run failed with ends it.
Result<Measured> measure(const TimingSelftestRequest& request, const Installation& installation,
                         const RunRequest& run, const fs::path& database, int rounds) {
  DeviceSession device(installation, SessionTurns::kMany);
  CommonOptions shown = request.common;
  shown.verbosity = std::min(shown.verbosity, 0);
  const RunTerms terms{.database = database, .command_line = "kbench selftest timing"};
  for (int round = 1; round <= rounds; ++round) {
    if (request.common.verbosity >= 0) fmt::print(stderr, "run {} of {}\n", round, rounds);
    RunFace face(shown);
    const auto outcome = RunSession(device, run, terms, face).run();
    if (!outcome)
      return Error{ErrorCode::kInfrastructure,
                   fmt::format("run {} of {}: {}", round, rounds, outcome.error().message),
                   outcome.error().hint};
    if (outcome->interrupted)
      return Error{ErrorCode::kInfrastructure, "interrupted", "nothing was calibrated"};
    const RunEnd end = end_of_run(*outcome, terms);
    if (end.code != ExitCode::kGood) {
      return Error{ErrorCode::kInfrastructure,
                   fmt::format("run {} of {}: {}", round, rounds, end.summary),
                   fmt::format("`kbench report table --db {}` shows how", database.string())};
    }
  }
  const auto store = Store::open(database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  const auto stored = store->runs();
  if (!stored) return stored.error();
  Measured measured;
  for (const Run& one : *stored) {
    measured.facts = Json::parse(one.environment).at("device").get<DeviceFacts>();
    auto evaluations = store->evaluations(one.id);
    if (!evaluations) return evaluations.error();
    for (Evaluation& evaluation : *evaluations) keep(evaluation);
    measured.runs.push_back(std::move(*evaluations));
  }
  return measured;
}

Result<Findings> perform(const TimingSelftestRequest& request, const Installation& installation) {
  if (installation.state.empty()) {
    return Error{ErrorCode::kUsage, "there is no place to keep a calibration",
                 "set HOME or XDG_STATE_HOME"};
  }
  RunRequest asked;
  asked.device = request.device;
  const auto target = choose_target(asked, installation);
  if (!target) return target.error();
  const auto scratch = ScratchFolder::make("kbench-selftest");
  if (!scratch) return scratch.error();
  if (auto written = write_submissions(scratch->path(), installation, target->device); !written)
    return written.error();
  const std::string name =
      target->device == "cuda" ? fmt::format("cuda-{}", target->device_index) : "cpu";
  const fs::path database = installation.state / fmt::format("timing-{}.sqlite", name);
  std::error_code ignored;
  fs::create_directories(installation.state, ignored);
  for (const char* ending : {"", "-wal", "-shm"}) fs::remove(database.string() + ending, ignored);
  // A GPU's runs take seconds and tell fractions of a percent; a CPU's take minutes and do not.
  const int rounds = request.rounds.value_or(target->device == "cuda" ? 5 : 3);
  const auto measured =
      measure(request, installation, request_of_a_run(request, scratch->path()), database, rounds);
  if (!measured) return measured.error();
  StoredCalibration calibration;
  calibration.device = describe_device(*target, measured->facts);
  calibration.calibration.measured_at = utc_now();
  calibration.runs = rounds;
  calibration.database = database.string();
  Findings findings = judge(measured->runs, std::move(calibration));
  if (rounds < 2) return findings;  // one run does not know what two differ by
  if (const auto before = find_calibration(installation.state, findings.calibration.device);
      !before && request.common.verbosity >= 0)
    fmt::print(stderr, "{}; it is replaced\n", printable(before.error().message));
  if (auto kept = keep_calibration(installation.state, findings.calibration); !kept)
    return kept.error();
  return findings;
}

}  // namespace

Status calibrate(const TimingSelftestRequest& request, const Installation& installation) {
  const auto findings = perform(request, installation);
  if (!findings) return findings.error();
  return Done{};
}

int selftest_timing_command(const TimingSelftestRequest& request,
                            const Installation& installation) {
  const auto findings = perform(request, installation);
  if (!findings)
    return fail(findings.error(), inspect_terminal(STDERR_FILENO, request.common.color));
  if (request.format == OutputFormat::kJson) {
    fmt::print("{}\n", to_json(*findings).dump(2));
  } else {
    print_table(*findings, inspect_terminal(STDOUT_FILENO, request.common.color));
  }
  const std::size_t failed = findings->failed();
  const std::string kept = findings->calibration.runs < 2
                               ? "one run calibrates nothing"
                               : "the calibration is kept, and holds for runs from now on";
  return finish(failed == 0 ? ExitCode::kGood : ExitCode::kInfrastructure,
                failed == 0 ? kept : fmt::format("{} checks failed; {}", failed, kept),
                request.common.verbosity);
}

}  // namespace kbench
