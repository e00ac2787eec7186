// Measures submissions again: each beside another source of the same task, one right after the
// other in one run, the order changing from pair to pair. Such a run is an ordinary one, in a
// database of its own, so that it is not taken for what was measured of a folder; its agents are
// called "003-1-before", "003-2-after", the third submission, and which was first.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reports/facts/run_facts.hpp"
#include "runner/again/run_sources.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/run/run_bench.hpp"
#include "runner/run/run_sink.hpp"
#include "runner/run/run_terms.hpp"
#include "runner/submission/submission.hpp"

namespace kbench {

// "nightly-remeasured.sqlite" beside "nightly.sqlite".
[[nodiscard]] std::filesystem::path remeasured_database(const std::filesystem::path& database);

struct SourcePair {
  std::string task;
  std::optional<Submission> before;  // none: `after` is measured alone
  Submission after;
};

// The outcome of one pair. Empty if there was nothing to measure.
struct MeasuredPair {
  std::optional<Evaluation> before;
  std::optional<Evaluation> after;

  // The logarithm of how much longer `after` took, on the scale of a baseline; empty where either
  // is not correct or was not timed.
  [[nodiscard]] std::optional<double> slowdown(Side baseline) const;
  // The same against a log speed-up that is known.
  [[nodiscard]] std::optional<double> longer_than(double log_speedup, Side baseline) const;
};

class Remeasurement {
 public:
  // Measures rows of `run` again, for `command`, as `like` asks, whose tasks and submissions are
  // replaced. Each round is a run on `benches`, which outlive this. `sink` is told of each run,
  // whose id and command line are replaced in `terms`.
  Remeasurement(const Run& run, RunRequest like, BenchSource& benches, RunSink& sink,
                RunTerms terms, const std::string& command);

  // Measures one round, each pair once; the results are in the order of the pairs. Errors: kUsage
  // on another device than the run's; kInterrupted after Ctrl-C; kInfrastructure.
  [[nodiscard]] Result<std::vector<MeasuredPair>> measure(const std::vector<SourcePair>& pairs);

 private:
  [[nodiscard]] Result<std::vector<MeasuredPair>> read(const std::string& run_id,
                                                       std::size_t pairs) const;

  RunFacts device_;
  RunRequest like_;
  BenchSource& benches_;
  RunSink& sink_;
  RunTerms terms_;
  std::string what_;  // "kbench nightly 0123456789ab"
  int round_ = 0;
};

// Sources of several runs, each looked for once.
class SourcesOfRuns {
 public:
  SourcesOfRuns(const Installation& installation, std::filesystem::path database)
      : installation_(installation), database_(std::move(database)) {}
  [[nodiscard]] RunSources& of(const Run& run, const std::optional<std::filesystem::path>& given);

 private:
  const Installation& installation_;
  std::filesystem::path database_;  // database that has the runs
  std::map<std::string, std::unique_ptr<RunSources>> by_run_;
};

}  // namespace kbench
