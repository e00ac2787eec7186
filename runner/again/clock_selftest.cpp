#include "runner/again/clock_selftest.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/analysis/keep.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/core/json.hpp"
#include "runner/core/statistics.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/measure/oracle/oracle.hpp"  // DeviceFacts as JSON
#include "runner/os/clean_text.hpp"
#include "runner/os/files.hpp"
#include "runner/plan/device_choice.hpp"
#include "runner/run/run_session.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Note = std::function<void(const std::string&)>;

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
  std::error_code ignored;  // a folder that cannot be made fails the write below
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

RunRequest request_of_a_run(const ClockSelftest& request, const fs::path& submissions) {
  RunRequest run;
  run.suite = request.suite;
  run.tasks.assign(kOtherTasks.begin(), kOtherTasks.end());
  run.tasks.insert(run.tasks.begin(), kPlantedTask);
  run.device = request.device;
  run.submissions = submissions;
  return run;
}

// Evaluations by submission, one of each run.
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

using Runs = std::vector<std::vector<Evaluation>>;

ClockFindings judge(const Runs& runs, StoredCalibration calibration) {
  ClockFindings findings;
  const std::string& device = calibration.device.device;
  auto equal = by_submission(runs);
  const std::string measured_at = calibration.calibration.measured_at;
  calibration.calibration = calibrate(equal, device);
  calibration.calibration.measured_at = measured_at;
  for (const EqualRuns& same : equal)
    for (const Evaluation& evaluation : same) findings.busy += machine_was_busy(evaluation) ? 1 : 0;
  calibrate_by_others(equal, device);
  findings.coverage = coverage(equal);
  findings.checks = check_clock(runs, device);
  findings.between_rows = between_rows(findings.checks);
  calibration.calibration.between_runs = std::max(calibration.calibration.between_runs,
                                                  largest_failed_bias(findings.checks) / kNormal95);
  findings.missing = expected_checks(device) - findings.checks.size();
  findings.empty_call_ns = empty_call_ns(runs);
  findings.calibration = std::move(calibration);
  return findings;
}

struct Measured {
  DeviceFacts facts;
  std::map<std::string, Runs> runs;  // key: the device's UUID, "" where none is told
};

// Whether all rows are there, and none failed.
bool is_good(const RunOutcome& outcome) {
  return outcome.is_complete() && outcome.failed == 0 && outcome.mistaken_files == 0 &&
         !outcome.stopped;
}

// One run into the database. What it failed with ends the selftest, and is nobody's fault at the
// keyboard unless the run was refused for what was asked.
Status measure_once(BenchSource& benches, const RunRequest& run, const RunTerms& terms,
                    RunSink& sink, const std::string& name) {
  const auto outcome = RunSession(benches, run, terms, sink).run();
  if (!outcome)
    return Error{
        outcome.error().code == ErrorCode::kUsage ? ErrorCode::kUsage : ErrorCode::kInfrastructure,
        name + ": " + outcome.error().message, outcome.error().hint};
  if (outcome->interrupted)
    return Error{ErrorCode::kInfrastructure, "interrupted", "nothing was calibrated"};
  if (is_good(*outcome)) return Done{};
  return Error{ErrorCode::kInfrastructure, name + ": " + summarize(*outcome, terms),
               fmt::format("`kbench report table --db {}` shows how", terms.database.string())};
}

Result<Measured> read_runs(const fs::path& database) {
  const auto store = Store::open(database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  const auto stored = store->runs();
  if (!stored) return stored.error();
  Measured measured;
  for (const Run& one : *stored) {
    measured.facts = Json::parse(one.environment).at("device").get<DeviceFacts>();
    auto evaluations = store->evaluations(one.id);
    if (!evaluations) return evaluations.error();
    std::map<std::string, std::vector<Evaluation>> by_device;
    for (Evaluation& evaluation : *evaluations) {
      keep(evaluation);
      by_device[evaluation.device_uuid].push_back(std::move(evaluation));
    }
    for (auto& [uuid, rows] : by_device) measured.runs[uuid].push_back(std::move(rows));
  }
  return measured;
}

// The runs, one after the other.
Result<Measured> measure(BenchSource& benches, const RunRequest& run, const RunTerms& terms,
                         int rounds, RunSink& sink, const Note& note) {
  for (int round = 1; round <= rounds; ++round) {
    const std::string name = fmt::format("run {} of {}", round, rounds);
    note(name);
    if (auto done = measure_once(benches, run, terms, sink, name); !done) return done.error();
  }
  return read_runs(terms.database);
}

// The devices in the name of a file: "cpu", "cuda-0-2".
std::string file_name_of(const ChosenDevices& devices) {
  if (devices.target.device != "cuda") return "cpu";
  std::set<int> numbers;
  for (const Target& one : devices.each()) numbers.insert(one.device_index);
  return fmt::format("cuda-{}", fmt::join(numbers, "-"));
}

// "cuda:1"; empty for the only one.
std::string place_of(const std::string& uuid, const ChosenDevices& devices) {
  if (devices.lanes.size() < 2) return "";
  for (const GpuInfo& gpu : devices.lanes)
    if (gpu.uuid == uuid) return fmt::format("cuda:{}", gpu.index);
  return "";
}

// The database for the runs; a file of an earlier selftest is removed.
fs::path new_database(const Installation& installation, const std::string& name) {
  const fs::path database = installation.state / fmt::format("timing-{}.sqlite", name);
  std::error_code ignored;
  fs::create_directories(installation.state, ignored);
  for (const char* ending : {"", "-wal", "-shm"}) fs::remove(database.string() + ending, ignored);
  return database;
}

Status replace_calibration(const Installation& installation, const StoredCalibration& calibration,
                           const Note& note) {
  if (const auto before = find_calibration(installation.state, calibration.device); !before)
    note(printable(before.error().message) + "; it is replaced");
  return keep_calibration(installation.state, calibration);
}

}  // namespace

std::size_t ClockFindings::failed() const {
  return missing + static_cast<std::size_t>(std::count_if(checks.begin(), checks.end(),
                                                          [](const auto& c) { return !c.passed; }));
}

Result<std::vector<ClockFindings>> test_clock(const ClockSelftest& request, BenchSource& benches,
                                              RunSink& sink, const Note& note) {
  const Installation& installation = benches.installation();
  if (installation.state.empty()) {
    return Error{ErrorCode::kUsage, "there is no place to keep a calibration",
                 "set HOME or XDG_STATE_HOME"};
  }
  const auto devices = choose_devices_of(request.device, request.devices, installation);
  if (!devices) return devices.error();
  const Target& target = devices->target;
  const bool several = devices->lanes.size() > 1;
  if (request.busy && !several)
    note("--busy: one device has all cores, so none is kept at work beside it");
  const auto scratch = ScratchFolder::make("kbench-selftest");
  if (!scratch) return scratch.error();
  if (auto written = write_submissions(scratch->path(), installation, target.device); !written)
    return written.error();
  // A GPU's runs take seconds and tell fractions of a percent; a CPU's take minutes and do not.
  const int rounds = request.rounds.value_or(target.device == "cuda" ? 5 : 3);
  const RunTerms terms{.database = new_database(installation, file_name_of(*devices)),
                       .command_line = "kbench selftest timing",
                       .devices = request.devices,
                       .on_each_device = true,
                       .busy = request.busy && several};
  auto measured =
      measure(benches, request_of_a_run(request, scratch->path()), terms, rounds, sink, note);
  if (!measured) return measured.error();
  std::vector<ClockFindings> all;
  for (const auto& [uuid, runs] : measured->runs) {
    StoredCalibration calibration;
    calibration.device = describe_device(target, measured->facts);
    if (!uuid.empty()) calibration.device.identity = uuid;
    calibration.calibration.measured_at = utc_now();
    calibration.runs = rounds;
    calibration.database = terms.database.string();
    ClockFindings findings = judge(runs, std::move(calibration));
    findings.place = place_of(uuid, *devices);
    findings.calibration.failed_checks = static_cast<int>(findings.failed());
    if (rounds > 1)  // one run does not know what two differ by
      if (auto kept = replace_calibration(installation, findings.calibration, note); !kept)
        return kept.error();
    all.push_back(std::move(findings));
  }
  return all;
}

Json clock_json(const ClockFindings& findings) {
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
               {"between_rows", findings.between_rows},
               {"empty_call_ns", findings.empty_call_ns ? Json(*findings.empty_call_ns) : Json()},
               {"coverage",
                {{"held", findings.coverage.held},
                 {"total", findings.coverage.total},
                 {"median_half_width", findings.coverage.median_half_width}}},
               {"busy", findings.busy},
               {"database", stored.database},
               {"missing_checks", findings.missing},
               {"checks", Json::array()}};
  // Without NVML's UUID the device is told apart by its name.
  if (stored.device.device == "cuda" && stored.device.identity != stored.device.name)
    json["uuid"] = stored.device.identity;
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

Json clock_json(const std::vector<ClockFindings>& findings) {
  if (findings.size() == 1) return clock_json(findings.front());
  Json json = {{"schema_version", 1}, {"devices", Json::array()}};
  for (const ClockFindings& one : findings) json["devices"].push_back(clock_json(one));
  return json;
}

}  // namespace kbench
