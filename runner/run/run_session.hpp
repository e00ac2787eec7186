// A run from its request to its outcome: plan, open the database, take the device, start, build,
// measure unit by unit, store each row at once. It prints nothing, and knows no exit code.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/device/device_session.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/pool/shared_run.hpp"
#include "runner/run/run_bench.hpp"
#include "runner/run/run_outcome.hpp"
#include "runner/run/run_sink.hpp"
#include "runner/run/run_terms.hpp"
#include "runner/store/store.hpp"

namespace kbench {

class LaneFleet;

// The request, completed by the run that is resumed or that `rerun` looks at. Checks as well that
// the database's path can be one. To be called before anything is started; may be repeated. Errors:
// kUsage, kNotFound, those of Store::open.
[[nodiscard]] Result<RunRequest> complete_request(const RunRequest& request, const RunTerms& terms);

// The plan of a completed request, without the rows that `rerun` leaves out. Errors: those of
// make_plan; kUsage for a name that a group cannot have.
[[nodiscard]] Result<Plan> plan_run(const RunRequest& request, const RunTerms& terms,
                                    const Installation& installation);

class RunSession {
 public:
  // `device` and `sink` outlive it.
  RunSession(DeviceSession& device, RunRequest request, RunTerms terms, RunSink& sink);
  // A run on benches of another source, which outlives it.
  RunSession(BenchSource& benches, RunRequest request, RunTerms terms, RunSink& sink);

  // To be called once. Errors: the reason why the run was refused before it measured anything, or
  // why a row or a report could not be kept. Rows that were measured are stored.
  Result<RunOutcome> run();

 private:
  Result<RunOutcome> go_through();
  Status open_store();
  Status open_exchange();
  Status name_and_take_device();
  [[nodiscard]] double probable_seconds() const;

  Status begin_run();
  Status resume_run(Json configuration);
  [[nodiscard]] std::string space_of_run() const;
  Status join_exchange(const Json& configuration);
  Status take_back(std::vector<Evaluation>& rows);
  Status publish_again(const std::vector<Evaluation>& rows);
  bool take_answer(std::size_t unit);
  Status publish_waiting();
  [[nodiscard]] static Error unpublished(Error why);
  Status mark_unless_first(Evaluation& row);
  Result<std::vector<Evaluation>> sound_rows();
  [[nodiscard]] Status check_same(const std::vector<Evaluation>& rows) const;
  [[nodiscard]] std::string key_of(std::size_t index) const;

  [[nodiscard]] std::set<std::size_t> units_to_judge() const;
  [[nodiscard]] std::vector<std::size_t> open_units() const;
  [[nodiscard]] std::vector<double> expected_seconds(const std::vector<std::size_t>& units) const;
  [[nodiscard]] double typical_seconds(const Task& task) const;
  [[nodiscard]] std::string random_order_seed() const;
  Status evaluate_units(const std::function<bool()>& interrupted);
  Result<bool> evaluate_next(std::size_t unit);
  Evaluation evaluate_unit(std::size_t index);
  void complete(std::size_t index, const std::string& started_at, Evaluation& evaluation);
  [[nodiscard]] bool ends_early(std::size_t index) const;
  [[nodiscard]] Evaluation ended_early(std::size_t index) const;
  [[nodiscard]] Evaluation unmeasured(std::size_t index) const;
  void give_reasons(Evaluation& evaluation) const;
  std::vector<Blob> take_sources(std::size_t unit, Evaluation& evaluation);
  Status keep(Evaluation evaluation, std::vector<Blob> sources);
  Status store_and_tell(const Evaluation& row, const std::vector<Blob>& sources);
  void count(const Evaluation& row);

  // The run's units on several lanes; defined in lane_round.cpp.
  class LaneRound;
  Status evaluate_on_lanes(LaneFleet& lanes, const std::function<bool()>& interrupted);
  Status keep_row(std::size_t unit, Evaluation row, const std::string& started_at,
                  const std::string& device);
  [[nodiscard]] Evaluation failed_row(std::size_t unit, const Error& why) const;

  [[nodiscard]] const Task& task_of(std::size_t unit) const;
  [[nodiscard]] bool has_size(std::size_t unit) const;
  [[nodiscard]] const Error* error_of_build(std::size_t unit) const;
  [[nodiscard]] std::string why_unjudged(std::size_t unit) const;

  std::unique_ptr<BenchSource> own_benches_;
  BenchSource& benches_;
  RunRequest request_;
  RunTerms terms_;
  RunSink& sink_;
  ProgressSink& progress_;
  Plan plan_;
  std::optional<Store> store_;
  bool chained_ = false;  // there is a key to chain with
  std::optional<Exchange> exchange_;
  std::unique_ptr<SharedRun> shared_;  // none unless rows are shared
  // Rows that other runs cannot find yet, so that the sink was not told of them.
  struct WaitingRow {
    Evaluation row;
    std::vector<Blob> sources;
  };
  std::vector<WaitingRow> waiting_;
  int rows_before_ = 0;              // rows that were there before the first was measured
  std::unique_ptr<RunBench> bench_;  // ends before the plan
  OracleHello hello_;
  Run run_;
  std::set<std::string> done_;  // keys of rows that a resumed run has
  RunOutcome outcome_;
};

}  // namespace kbench
