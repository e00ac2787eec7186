// Evaluating on several lanes: they pull the units (lane/unit_pull.hpp), and each row is stored as
// it comes. Plan, builds, store and chain are the session's alone.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/evaluation_json.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/lane/unit_pull.hpp"
#include "runner/run/run_session.hpp"
#include "runner/run/unit_order.hpp"

namespace kbench {
namespace {

// Lanes end at different times: the longest units come first, so that none begins last.
UnitOrder order_for_lanes(UnitOrder asked) {
  return asked == UnitOrder::kTask ? UnitOrder::kLongest : asked;
}

}  // namespace

class RunSession::LaneRound final : public UnitOwner {
 public:
  LaneRound(RunSession& run, LaneFleet& lanes, std::map<std::size_t, double> expected,
            const std::function<bool()>& interrupted)
      : run_(run), lanes_(lanes), expected_(std::move(expected)), interrupted_(interrupted) {}

  bool goes_on() override {
    RunOutcome& outcome = run_.outcome_;
    outcome.interrupted = outcome.interrupted || interrupted_();
    return !outcome.interrupted && !outcome.stopped;
  }

  Result<std::optional<LaneRequest>> begin(std::size_t lane, std::size_t unit) override {
    if (run_.take_answer(unit)) return std::optional<LaneRequest>();
    started_at_[lane] = utc_now();
    if (run_.ends_early(unit)) {
      if (auto kept = keep(lane, unit, run_.ended_early(unit)); !kept) return kept.error();
      return std::optional<LaneRequest>();
    }
    LaneRequest request;
    request.ask = LaneAsk::kMeasure;
    request.body = run_.bench_->lanes()->order_of(unit);
    request.seconds = expected_[unit];
    return std::optional(std::move(request));
  }

  Result<bool> end(std::size_t lane, std::size_t unit, const LaneResult& result,
                   bool may_repeat) override {
    auto row = evaluation_from_json(result.body);
    // A verdict on the submission stands; where only the device failed, another one tries.
    const bool says_nothing = !row || (result.lost && row->state == State::kInfrastructureError);
    if (says_nothing && may_repeat) return false;
    auto kept = keep(lane, unit, row ? std::move(*row) : run_.failed_row(unit, row.error()));
    if (!kept) return kept.error();
    return true;
  }

  Status give_up(std::size_t lane, std::size_t unit, const Error& why) override {
    return keep(lane, unit, run_.failed_row(unit, why));
  }

  void lose(std::size_t lane, const Error& why) override {
    run_.progress_.warn(fmt::format("{} leaves the run: {}", lanes_.name_of(lane), why.message));
    if (!run_.outcome_.lost) run_.outcome_.lost = why;
  }

  Status tick() override {
    return run_.shared_ && run_.shared_->is_due() ? run_.publish_waiting() : Status(Done{});
  }

  [[nodiscard]] std::string name_of(std::size_t unit) const override {
    return run_.task_of(unit).id;
  }

 private:
  Status keep(std::size_t lane, std::size_t unit, Evaluation row) {
    // Where each device has a row of the unit, the row says whose it is.
    const bool each = run_.terms_.on_each_device && lanes_.size() > 1;
    return run_.keep_row(unit, std::move(row), started_at_[lane], each ? lanes_.name_of(lane) : "");
  }

  RunSession& run_;
  LaneFleet& lanes_;
  std::map<std::size_t, double> expected_;  // seconds, by unit
  const std::function<bool()>& interrupted_;
  std::map<std::size_t, std::string> started_at_ = {};  // time of the unit at hand, by lane
};

Status RunSession::evaluate_on_lanes(LaneFleet& lanes, const std::function<bool()>& interrupted) {
  std::vector<std::size_t> open = open_units();
  const bool each = terms_.on_each_device;
  order_units(each ? terms_.order : order_for_lanes(terms_.order), expected_seconds(open),
              random_order_seed(), open);
  const std::vector<double> expected = expected_seconds(open);
  std::map<std::size_t, double> by_unit;
  for (std::size_t i = 0; i < open.size(); ++i) by_unit[open[i]] = expected[i];
  // The times become those from one row to the next: so many are measured at once.
  std::vector<double> apart;
  for (std::size_t round = 0; round < (each ? lanes.size() : 1); ++round)
    for (const double seconds : expected)
      apart.push_back(seconds / static_cast<double>(lanes.size()));
  progress_.begin("evaluating", std::move(apart));
  rows_before_ = outcome_.rows;
  LaneRound round(*this, lanes, std::move(by_unit), interrupted);
  const auto left =
      pull_units(lanes, open, each ? UnitShare::kEachLane : UnitShare::kAnyLane, round, progress_);
  if (!left) return left.error();
  outcome_.left_pending = *left;
  outcome_.stopped = outcome_.stopped && outcome_.left_pending > 0;
  Status published = publish_waiting();
  progress_.end();
  return published;
}

Evaluation RunSession::failed_row(std::size_t unit, const Error& why) const {
  Evaluation row = unmeasured(unit);
  row.state = State::kInfrastructureError;
  row.message = fmt::format("{}; it was tried twice", why.message);
  row.hint = why.hint;
  give_reasons(row);
  return row;
}

}  // namespace kbench
