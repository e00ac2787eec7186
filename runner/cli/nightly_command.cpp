#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/formats/run_list.hpp"
#include "reports/over_time/nightly_report.hpp"
#include "reports/write/outputs.hpp"
#include "reports/write/page_extras.hpp"
#include "runner/again/night_session.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/run_end.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/store/file/database_path.hpp"

namespace kbench {
namespace {

NightRequest request_of(const NightlyOptions& options) {
  return {.run = options.run,
          .terms = options.run,
          .flag_percent = options.flag_percent,
          .most_pairs = options.most_pairs,
          .over_compiled = options.over_compiled,
          .submissions_before = options.submissions_before};
}

// One night, as it is told to a person.
class NightFace {
 public:
  NightFace(const NightlyOptions& options, const Installation& installation)
      : options_(options),
        installation_(installation),
        terminal_(inspect_terminal(STDERR_FILENO, options.run.common.color)),
        request_(request_of(options)),
        session_(installation, SessionTurns::kMany),
        benches_(session_),
        night_(request_, benches_) {}

  int perform() {
    if (auto fine = check_outputs(options_.run.outputs, options_.run.database); !fine)
      return fail(fine.error(), terminal_);
    RunFace face(options_.run.common);
    const auto outcome = night_.run(face);
    if (!outcome) return fail(outcome.error(), terminal_);
    const RunEnd end = end_of_run(*outcome, night_.terms());
    // From here on Ctrl-C ends the night with a report, also between two runs.
    const InterruptGuard guard(options_.run.stop);
    run_code_ = end.code;
    const bool may_be_complete = run_code_ == ExitCode::kGood ||
                                 run_code_ == ExitCode::kTaskFailed ||
                                 run_code_ == ExitCode::kInfrastructure;
    if (!may_be_complete) return finish(run_code_, end.summary, options_.run.common.verbosity);
    say(end.summary);
    if (auto loaded = load(); !loaded)
      return run_code_ == ExitCode::kInfrastructure
                 ? finish(run_code_, end.summary, options_.run.common.verbosity)
                 : fail(loaded.error(), terminal_);
    if (night_.tonight().run.finished_at.empty()) return report_unfinished();
    night_.look();
    RunFace quiet(within_command(options_.run.common));
    return report(night_.clear(
        quiet, [&] { return guard.interrupted(); },
        [this](const std::string& text) { say(text); }));
  }

 private:
  Status load() {
    return night_.load([this](ReportData& tonight, const Store& store) -> Status {
      if (!writes_page(options_.run.outputs)) return Done{};
      const auto& suite = options_.run.suite;
      return add_page_extras(tonight, store, suite.value_or(installation_.suites));
    });
  }

  void say(const std::string& text) const {
    if (options_.run.common.verbosity >= 0) fmt::print(stderr, "{}\n", text);
  }

  int report_unfinished() {
    const Status written =
        write_outputs(night_.tonight(), options_.run.outputs, report_style(options_.run.common));
    if (!written) return fail(written.error(), terminal_);
    return finish(ExitCode::kInfrastructure,
                  fmt::format("run {} is not finished, so nothing was compared",
                              short_id(night_.tonight().run)),
                  options_.run.common.verbosity);
  }

  int report(const Status& measured) {
    night_.tonight().night = findings_of(night_.night());
    print_night();
    if (auto written = write_outputs(night_.tonight(), options_.run.outputs,
                                     report_style(options_.run.common));
        !written)
      return fail(written.error(), terminal_);
    if (night_.interrupted())
      return finish(ExitCode::kInterrupted, "interrupted while measuring again", 0);
    if (night_.night().count(Clearance::kConfirmed) > 0) return finish_regression();
    if (!measured) return fail(measured.error(), terminal_);
    const bool ours = night_.night().faults > 0 || run_code_ == ExitCode::kInfrastructure;
    const auto code = ours ? ExitCode::kInfrastructure : ExitCode::kGood;
    return finish(code, night_summary(night_.night()), options_.run.common.verbosity);
  }

  int finish_regression() const {
    const auto first =
        std::find_if(night_.night().suspects.begin(), night_.night().suspects.end(),
                     [](const Suspect& one) { return one.clearance == Clearance::kConfirmed; });
    const int more = night_.night().count(Clearance::kConfirmed) - 1;
    return finish(ExitCode::kRegression,
                  fmt::format("{}: {} of {}{} (exit code {})", describe(ExitCode::kRegression),
                              std::get<0>(first->key), first->tonight.contestant(),
                              more == 0 ? "" : fmt::format(", and {} more", more),
                              to_int(ExitCode::kRegression)),
                  options_.run.common.verbosity);
  }

  // Standard output may belong to a report.
  void print_night() const {
    const auto& outputs = options_.run.outputs;
    const bool is_taken = std::any_of(outputs.begin(), outputs.end(),
                                      [](const OutputRequest& one) { return !one.file; });
    if (is_taken)
      fmt::print(stderr, "{}", render_night(night_.night(), {.colour = terminal_.color}));
    else
      fmt::print("{}", render_night(night_.night(), output_style(options_.run.common)));
  }

  const NightlyOptions& options_;
  const Installation& installation_;
  Terminal terminal_;
  NightRequest request_;
  DeviceSession session_;
  DeviceBenches benches_;
  NightSession night_;
  ExitCode run_code_ = ExitCode::kGood;
};

}  // namespace

CLI::App* add_nightly(CLI::App& app, NightlyOptions& options, OutputWords& words) {
  auto* nightly = app.add_subcommand("nightly", "Run, and find out whether anything became slower");
  nightly->footer(help_of("nightly"));
  add_measuring(*nightly, options.run);
  nightly
      ->add_option("--flag", options.flag_percent,
                   "Per cent longer than the last good runs that count (default: 2 on CUDA, 6 on a "
                   "CPU)")
      ->check(CLI::Range(0.1, 1000.0).description(""))
      ->type_name("PERCENT");
  add_pairs(*nightly, options.most_pairs, 9, "Most pairs that are measured again (default: 9)");
  add_path(*nightly, "--submissions-before", options.submissions_before,
           "Where the last good sources are (default: found, see `kbench compare --help`)")
      ->type_name("DIR");
  add_baseline(*nightly, options.over_compiled);
  add_outputs(*nightly, words);
  add_database(*nightly, options.run.database);
  add_suite(*nightly, options.run.suite);
  add_common(*nightly, options.run.common, false);
  return nightly;
}

int call(const NightlyOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.run.common.color);
  // Before anything else: a database is worth more than a report.
  if (auto sound = check_database_path(options.run.database); !sound)
    return fail(sound.error(), terminal);
  return NightFace(options, installation).perform();
}

}  // namespace kbench
