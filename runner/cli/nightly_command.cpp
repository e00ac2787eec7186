#include "runner/cli/nightly_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/nightly_report.hpp"
#include "reports/run_list.hpp"
#include "reports/write/outputs.hpp"
#include "reports/write/page_extras.hpp"
#include "runner/again/remeasure.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/run_end.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/core/random_id.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/run/run_session.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/database_path.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

// Older runs of the device are not looked at: where a row is in fewer than five good ones of so
// many, fewer will do.
constexpr int kMostRuns = 60;

// One night from its run to its exit status.
class NightSession {
 public:
  NightSession(const NightlyOptions& options, const Installation& installation)
      : options_(options),
        installation_(installation),
        session_(installation, SessionTurns::kMany),
        terminal_(inspect_terminal(STDERR_FILENO, options.run.common.color)),
        baseline_(options.over_compiled ? Side::kCompiled : Side::kEager),
        sources_(installation, options.run.database) {}

  int perform() {
    if (auto fine = check_outputs(options_.run.outputs, options_.run.database); !fine)
      return fail(fine.error(), terminal_);
    RunTerms terms = options_.run;
    terms.id = random_id();
    RunFace face(options_.run.common);
    const auto outcome = RunSession(session_, options_.run, terms, face).run();
    if (!outcome) return fail(outcome.error(), terminal_);
    const RunEnd end = end_of_run(*outcome, terms);
    // From here on Ctrl-C ends the night with a report, also between two runs.
    const InterruptGuard guard(options_.run.stop);
    run_code_ = end.code;
    const bool may_be_complete = run_code_ == ExitCode::kGood ||
                                 run_code_ == ExitCode::kTaskFailed ||
                                 run_code_ == ExitCode::kInfrastructure;
    if (!may_be_complete) return finish(run_code_, end.summary, options_.run.common.verbosity);
    say(end.summary);
    if (auto loaded = load(terms.id); !loaded)
      return run_code_ == ExitCode::kInfrastructure
                 ? finish(run_code_, end.summary, options_.run.common.verbosity)
                 : fail(loaded.error(), terminal_);
    if (tonight_.run.finished_at.empty()) return report_unfinished();
    night_ = look_at_night(tonight_, good_, baseline_, rule_);
    night_.not_good = not_good_;
    find_sources();
    const Status measured = clear_suspects(guard);
    return report(measured);
  }

 private:
  // --- the runs ---

  Status load(const std::string& id) {
    auto store = Store::open(options_.run.database, Store::Mode::kReadOnly);
    if (!store) return store.error();
    if (auto key = read_chain_key(installation_.state)) store->use(std::move(*key));
    auto tonight = load_report(*store, id);
    if (!tonight) return tonight.error();
    if (writes_page(options_.run.outputs)) {
      const auto& suite = options_.run.suite;
      auto added = add_page_extras(*tonight, *store, suite.value_or(installation_.suites));
      if (!added) return added;
    }
    tonight_ = std::move(*tonight);
    rule_.flag =
        options_.flag_percent ? *options_.flag_percent / 100 : default_flag(device_of(tonight_));
    rule_.most_pairs = static_cast<std::size_t>(options_.most_pairs);
    return load_good(*store);
  }

  Status load_good(const Store& store) {
    auto runs = store.runs();  // newest first
    if (!runs) return runs.error();
    const RunFacts facts = facts_of(tonight_.run);
    int looked_at = 0;
    for (const Run& run : *runs) {
      if (is_full_reference(tonight_, good_)) break;
      // Other devices' runs are other histories: they are not even mentioned.
      const RunFacts then = facts_of(run);
      if (run.id == tonight_.run.id || !then.timed || !same_device(then, facts)) continue;
      if (++looked_at > kMostRuns) break;
      const auto data = load_report(store, run.id);
      if (!data) return data.error();
      const std::string why = why_not_good(*data, tonight_);
      if (why.empty())
        good_.push_back(good_run(*data, baseline_));
      else
        ++not_good_[why];
    }
    return Done{};
  }

  // --- measuring again ---

  void find_sources() {
    for (Suspect& suspect : night_.suspects) {
      // A manifest that makes no sense makes none the second time either.
      if (suspect.cannot_be_read()) {
        suspect.clearance = Clearance::kConfirmed;
        pairs_.emplace_back();
        continue;
      }
      auto tonight = sources_.of(tonight_.run, std::nullopt)
                         .find(std::get<0>(suspect.key), suspect.submission);
      if (!tonight) {
        suspect.remark = tonight.error().message;
        pairs_.emplace_back();
        continue;
      }
      SourcePair pair{std::get<0>(suspect.key), std::nullopt, std::move(*tonight)};
      if (suspect.why == Suspect::Why::kSlower && !suspect.same_source()) {
        auto good = sources_.of(suspect.good_run, options_.submissions_before)
                        .find(pair.task, suspect.good);
        if (good)
          pair.before = std::move(*good);
        else
          suspect.remark = good.error().message;
      }
      if (suspect.why == Suspect::Why::kSlower && !pair.before)
        suspect.evidence.alone = suspect.reference;
      pairs_.push_back(std::move(pair));
    }
  }

  Status clear_suspects(const InterruptGuard& guard) {
    if (night_.suspects.empty()) return Done{};
    RunFace face(within_command(options_.run.common));
    RunTerms terms = options_.run;
    terms.database = remeasured_database(terms.database);
    Remeasurement again(tonight_.run, options_.run, session_, face, terms, "kbench nightly");
    for (int round = 1; round <= options_.most_pairs; ++round) {
      const std::vector<std::size_t> open = open_suspects();
      if (open.empty()) break;
      interrupted_ = guard.interrupted();
      if (interrupted_) break;
      say(fmt::format("measuring {} of {} suspected again, round {} of at most {}", open.size(),
                      night_.suspects.size(), round, options_.most_pairs));
      std::vector<SourcePair> pairs;
      for (const std::size_t i : open) pairs.push_back(*pairs_[i]);
      const auto measured = again.measure(pairs);
      interrupted_ = again.interrupted();
      if (!measured) return measured.error();
      for (std::size_t i = 0; i < open.size(); ++i)
        take(night_.suspects[open[i]], (*measured)[i], round);
    }
    return Done{};
  }

  [[nodiscard]] std::vector<std::size_t> open_suspects() const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < night_.suspects.size(); ++i)
      if (pairs_[i] && night_.suspects[i].clearance == Clearance::kOpen) open.push_back(i);
    return open;
  }

  void take(Suspect& suspect, const MeasuredPair& measured, int round) {
    if (suspect.why == Suspect::Why::kFails) return take_second_try(suspect, measured);
    const bool alone = !suspect.evidence.alone.values.empty();
    if (const auto slowdown = alone ? measured.longer_than(suspect.reference.level(), baseline_)
                                    : measured.slowdown(baseline_))
      suspect.evidence.slowdowns.push_back(*slowdown);
    suspect.clearance = judge(suspect.evidence, rule_, night_.suspects.size());
    const bool last = round == options_.most_pairs;
    if (last && suspect.clearance == Clearance::kOpen) {
      suspect.clearance = Clearance::kUnclear;
      if (suspect.remark.empty()) suspect.remark = "not every measurement of it succeeded";
    }
  }

  static void take_second_try(Suspect& suspect, const MeasuredPair& measured) {
    if (!measured.after || fault_of(measured.after->state) == Fault::kInfrastructure) {
      suspect.clearance = Clearance::kUnclear;
      return;
    }
    const bool passes = measured.after->state == State::kOk && measured.after->correct == true;
    suspect.clearance = passes ? Clearance::kCleared : Clearance::kConfirmed;
  }

  // --- the end ---

  void say(const std::string& text) const {
    if (options_.run.common.verbosity >= 0) fmt::print(stderr, "{}\n", text);
  }

  int report_unfinished() {
    const Status written =
        write_outputs(tonight_, options_.run.outputs, report_style(options_.run.common));
    if (!written) return fail(written.error(), terminal_);
    return finish(
        ExitCode::kInfrastructure,
        fmt::format("run {} is not finished, so nothing was compared", short_id(tonight_.run)),
        options_.run.common.verbosity);
  }

  int report(const Status& measured) {
    tonight_.night = findings_of(night_);
    print_night();
    if (auto written =
            write_outputs(tonight_, options_.run.outputs, report_style(options_.run.common));
        !written)
      return fail(written.error(), terminal_);
    if (interrupted_) return finish(ExitCode::kInterrupted, "interrupted while measuring again", 0);
    if (night_.count(Clearance::kConfirmed) > 0) return finish_regression();
    if (!measured) return fail(measured.error(), terminal_);
    const bool ours = night_.faults > 0 || run_code_ == ExitCode::kInfrastructure;
    const auto code = ours ? ExitCode::kInfrastructure : ExitCode::kGood;
    return finish(code, night_summary(night_), options_.run.common.verbosity);
  }

  int finish_regression() const {
    const auto first =
        std::find_if(night_.suspects.begin(), night_.suspects.end(),
                     [](const Suspect& one) { return one.clearance == Clearance::kConfirmed; });
    const int more = night_.count(Clearance::kConfirmed) - 1;
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
      fmt::print(stderr, "{}", render_night(night_, {.colour = terminal_.color}));
    else
      fmt::print("{}", render_night(night_, output_style(options_.run.common)));
  }

  const NightlyOptions& options_;
  const Installation& installation_;
  DeviceSession session_;
  Terminal terminal_;
  Side baseline_;
  NightlyRule rule_;
  ReportData tonight_;
  std::vector<GoodRun> good_;  // newest first
  std::map<std::string, int> not_good_;
  Night night_;
  SourcesOfRuns sources_;
  std::vector<std::optional<SourcePair>> pairs_;  // of each suspect; empty: not to be had
  ExitCode run_code_ = ExitCode::kGood;
  bool interrupted_ = false;
};

}  // namespace

int nightly_command(const NightlyOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.run.common.color);
  // Before anything else: a database is worth more than a report.
  if (auto sound = check_database_path(options.run.database); !sound)
    return fail(sound.error(), terminal);
  return NightSession(options, installation).perform();
}

}  // namespace kbench
