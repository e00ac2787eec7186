// A night: one run, compared with the last good runs of its device, and whatever looks slower or
// fails measured again until it is confirmed or cleared. Prints nothing, writes no report and knows
// no exit code; the steps are called in this order.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/over_time/nightly.hpp"
#include "runner/again/remeasure.hpp"
#include "runner/core/result.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/run/run_bench.hpp"
#include "runner/run/run_outcome.hpp"
#include "runner/run/run_sink.hpp"
#include "runner/run/run_terms.hpp"
#include "runner/store/store.hpp"

namespace kbench {

struct NightChoices {
  std::optional<double> flag_percent;  // slowdown that is flagged; empty: by the device
  int most_pairs = 9;
  Side baseline = Side::kEager;                             // the common scale
  std::optional<std::filesystem::path> submissions_before;  // sources of the last good runs
};

struct NightRequest {
  RunRequest run;
  RunTerms terms;
  NightChoices choices;
};

class NightSession {
 public:
  // Both arguments outlive the session.
  NightSession(const NightRequest& request, BenchSource& benches);

  // The run itself. Errors: those of RunSession.
  Result<RunOutcome> run(RunSink& sink);
  // The terms of that run, with its id.
  [[nodiscard]] const RunTerms& terms() const { return terms_; }

  // Reads the run, and the good ones before it. `add` completes what reports show of the run, from
  // the same database. Errors: those of reading.
  Status load(const std::function<Status(ReportData&, const Store&)>& add);

  // Finds what is suspected, and where its sources are. The run is finished.
  void look();

  // Measures suspects again, in rounds, as long as one is open. Errors: those of Remeasurement;
  // what was found before holds.
  Status clear(RunSink& sink, const std::function<bool()>& stop,
               const std::function<void(const std::string&)>& note);
  // Whether that was ended by `stop` or Ctrl-C.
  [[nodiscard]] bool interrupted() const { return interrupted_; }

  // Stores the findings with the run, for every later report of it, and gives them to tonight().
  // Errors: those of writing; tonight() has them all the same.
  Status store_findings();

  [[nodiscard]] ReportData& tonight() { return tonight_; }
  [[nodiscard]] const Night& night() const { return night_; }

 private:
  Status load_good(const Store& store);
  void find_sources();
  [[nodiscard]] std::vector<std::size_t> open_suspects() const;
  void take(Suspect& suspect, const MeasuredPair& measured, int round);

  const NightRequest& request_;
  BenchSource& benches_;
  RunTerms terms_;
  Side baseline_;
  NightlyRule rule_;
  ReportData tonight_;
  std::vector<GoodRun> good_;  // newest first
  std::map<std::string, int> not_good_;
  Night night_;
  SourcesOfRuns sources_;
  std::vector<std::optional<SourcePair>> pairs_;  // sources of each suspect; empty: not to be had
  bool interrupted_ = false;
};

}  // namespace kbench
