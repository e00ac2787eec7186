#include <unistd.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "reports/formats/run_list.hpp"
#include "reports/over_time/nightly_report.hpp"
#include "reports/write/outputs.hpp"
#include "reports/write/page_extras.hpp"
#include "runner/again/night_session.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/store/file/database_path.hpp"

namespace kbench {
namespace {

// One night, as it is told to a person.
class NightFace {
 public:
  NightFace(const NightlyOptions& options, const Installation& installation)
      : options_(options),
        installation_(installation),
        request_{options, options, options},
        session_(installation, SessionTurns::kMany),
        benches_(session_),
        night_(request_, benches_) {}

  Result<End> perform() {
    if (auto fine = check_outputs(options_.outputs, options_.database); !fine) return fine.error();
    RunFace face(options_.common.color, options_.common.verbosity);
    const auto outcome = night_.run(face);
    if (!outcome) return outcome.error();
    const End end = end_of_run(*outcome, night_.terms());
    // From here on Ctrl-C ends the night with a report, also between two runs.
    const InterruptGuard guard(options_.stop);
    run_code_ = end.code;
    const bool may_be_complete = run_code_ == ExitCode::kGood ||
                                 run_code_ == ExitCode::kTaskFailed ||
                                 run_code_ == ExitCode::kInfrastructure;
    if (!may_be_complete) return end;
    say(options_.common, end.summary);
    if (auto loaded = load(); !loaded)
      return run_code_ == ExitCode::kInfrastructure ? Result<End>(end) : loaded.error();
    if (night_.tonight().run.finished_at.empty()) return report_unfinished();
    night_.look();
    RunFace quiet(options_.common.color, within_command(options_.common.verbosity));
    return report(night_.clear(
        quiet, [&] { return guard.interrupted(); },
        [this](const std::string& text) { say(options_.common, text); }));
  }

 private:
  Status load() {
    return night_.load([this](ReportData& tonight, const Store& store) -> Status {
      if (!writes_page(options_.outputs)) return Done{};
      const auto& suite = options_.suite;
      return add_page_extras(tonight, store, suite.value_or(installation_.suites));
    });
  }

  Result<End> report_unfinished() {
    const Status written =
        write_outputs(night_.tonight(), options_.outputs, report_style(options_.common));
    if (!written) return written.error();
    return End{ExitCode::kInfrastructure,
               fmt::format("run {} is not finished, so nothing was compared",
                           short_id(night_.tonight().run))};
  }

  Result<End> report(const Status& measured) {
    const Status stored = night_.store_findings();
    if (!stored) warn(options_.common, "the findings are not stored: " + stored.error().message);
    print_night();
    if (auto written =
            write_outputs(night_.tonight(), options_.outputs, report_style(options_.common));
        !written)
      return written.error();
    if (night_.interrupted())
      return End{ExitCode::kInterrupted, "interrupted while measuring again"};
    if (night_.night().count(Clearance::kConfirmed) > 0) return finish_regression();
    if (!measured) return measured.error();
    const bool ours =
        !stored || night_.night().faults > 0 || run_code_ == ExitCode::kInfrastructure;
    const auto code = ours ? ExitCode::kInfrastructure : ExitCode::kGood;
    // The night itself has been printed, with its summary.
    return End{code, ours ? "not everything was judged" : "no regression was confirmed"};
  }

  End finish_regression() const {
    const auto first =
        std::find_if(night_.night().suspects.begin(), night_.night().suspects.end(),
                     [](const Suspect& one) { return one.clearance == Clearance::kConfirmed; });
    const int more = night_.night().count(Clearance::kConfirmed) - 1;
    return End{ExitCode::kRegression,
               fmt::format("{}: {} of {}{}", describe(ExitCode::kRegression),
                           std::get<0>(first->key), first->tonight.contestant(),
                           more == 0 ? "" : fmt::format(", and {} more", more))};
  }

  // Standard output may belong to a report.
  void print_night() const {
    const auto& outputs = options_.outputs;
    const bool is_taken = std::any_of(outputs.begin(), outputs.end(),
                                      [](const OutputRequest& one) { return !one.file; });
    const TableStyle style =
        is_taken
            ? TableStyle{.colour = inspect_terminal(STDERR_FILENO, options_.common.color).color}
            : output_style(options_.common);
    fmt::print(is_taken ? stderr : stdout, "{}", render_night(night_.night(), style));
  }

  const NightlyOptions& options_;
  const Installation& installation_;
  NightRequest request_;
  DeviceSession session_;
  DeviceBenches benches_;
  NightSession night_;
  ExitCode run_code_ = ExitCode::kGood;
};

}  // namespace

CLI::App* add_nightly(CLI::App& app, NightlyOptions& options) {
  auto& nightly = add_verb(app, "nightly", "Run, and find out whether anything became slower");
  add_measuring(nightly, options);
  add_number(nightly, "--flag", options.flag_percent, 0.1, 1000.0,
             "Suspect what takes longer by more than PERCENT (default: 2 on CUDA, 6 on a CPU)",
             "PERCENT");
  add_pairs(nightly, options.most_pairs, 9, "Measure a suspect in at most N pairs (default: 9)");
  add_path(nightly, "--submissions-before", options.submissions_before, "DIR",
           "Folder with the last good sources (default: found as by `kbench compare --remeasure`)");
  add_baseline(nightly, options.baseline);
  add_outputs(nightly, options.words);
  add_database(nightly, options.database);
  add_suite(nightly, options.suite);
  add_common(nightly, options.common, false);
  return &nightly;
}

Result<End> call(const NightlyOptions& options, const Installation& installation) {
  // The path is checked before anything else: a database is worth more than a report.
  if (auto sound = check_database_path(options.database); !sound) return sound.error();
  return NightFace(options, installation).perform();
}

}  // namespace kbench
