// Evaluating on several lanes: a unit is pulled by whichever lane is free, and its row stored as it
// comes. Plan, builds, store and chain are the session's alone.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/utc_now.hpp"
#include "runner/lane/lane_fleet.hpp"
#include "runner/run/run_session.hpp"
#include "runner/run/unit_order.hpp"

namespace kbench {
namespace {

constexpr std::chrono::milliseconds kTick{100};

// Lanes end at different times: the longest units come first, so that none begins last.
UnitOrder order_for_lanes(UnitOrder asked) {
  return asked == UnitOrder::kTask ? UnitOrder::kLongest : asked;
}

}  // namespace

struct RunSession::LaneRound {
  LaneFleet& lanes;
  UnitQueue queue;
  std::map<std::size_t, double> expected = {};         // seconds, by unit
  std::map<std::size_t, std::string> started_at = {};  // by unit
  std::map<std::size_t, std::size_t> at_hand = {};     // units, by lane
  std::size_t done = 0;                                // rows
};

Status RunSession::evaluate_on_lanes(LaneFleet& lanes, const std::function<bool()>& interrupted) {
  std::vector<std::size_t> open = open_units();
  order_units(order_for_lanes(terms_.order), expected_seconds(open), random_order_seed(), open);
  std::vector<double> expected = expected_seconds(open);
  LaneRound round{.lanes = lanes, .queue = UnitQueue(open)};
  for (std::size_t i = 0; i < open.size(); ++i) round.expected[open[i]] = expected[i];
  // The times become those from one row to the next: so many are measured at once.
  for (double& seconds : expected) seconds /= static_cast<double>(lanes.size());
  progress_.begin("evaluating", expected);
  rows_before_ = outcome_.rows;
  while (true) {
    outcome_.interrupted = outcome_.interrupted || interrupted();
    const bool goes_on = !outcome_.interrupted && !outcome_.stopped && lanes.any_left();
    if (goes_on)
      if (auto given = hand_out(round); !given) return given;
    if (!lanes.any_busy() && (!goes_on || round.queue.empty())) break;
    for (LaneEvent& event : lanes.wait(kTick))
      if (auto heeded = heed(event, round); !heeded) return heeded;
    if (shared_ && shared_->is_due())
      if (auto published = publish_waiting(); !published) return published;
    progress_.tick();
  }
  outcome_.left_pending = round.queue.left();
  outcome_.stopped = outcome_.stopped && outcome_.left_pending > 0;
  Status published = publish_waiting();
  progress_.end();
  return published;
}

// A unit for each lane that has none. What needs no measurement needs no lane either.
Status RunSession::hand_out(LaneRound& round) {
  for (const std::size_t lane : round.lanes.idle()) {
    while (!outcome_.stopped) {
      const auto unit = round.queue.pull();
      if (!unit) return Done{};
      if (take_answer(*unit)) {
        ++round.done;
        continue;
      }
      if (!ends_early(*unit)) {
        begin_on_lane(lane, *unit, round);
        break;
      }
      tell_units(round);
      if (auto kept = keep_row(*unit, ended_early(*unit), utc_now()); !kept) return kept;
      ++round.done;
    }
  }
  return Done{};
}

void RunSession::begin_on_lane(std::size_t lane, std::size_t unit, LaneRound& round) {
  LaneRequest request;
  request.ask = LaneAsk::kMeasure;
  request.body = bench_->unit_for_lane(unit);
  request.seconds = round.expected[unit];
  round.started_at[unit] = utc_now();
  round.at_hand[lane] = unit;
  round.lanes.begin(lane, unit, request);
  tell_units(round);
}

// Rows are counted as they come, whichever lane they come from.
void RunSession::tell_units(const LaneRound& round) {
  std::string names;
  for (const auto& [lane, unit] : round.at_hand)
    names += (names.empty() ? "" : ", ") + task_of(unit).id;
  progress_.item(round.done, names);
}

Status RunSession::heed(LaneEvent& event, LaneRound& round) {
  switch (event.what) {
    case LaneEvent::What::kRow: {
      round.at_hand.erase(event.lane);
      // A verdict on the submission stands; where only the device failed, another one tries.
      const bool is_no_row = event.row.task.empty();
      const bool says_nothing =
          is_no_row || (event.device_lost && event.row.state == State::kInfrastructureError);
      if (says_nothing && round.queue.give_back(event.unit)) return Done{};
      if (is_no_row)
        return keep_lane_row(
            event.unit,
            failed_row(event.unit, {ErrorCode::kInfrastructure, event.row.message, event.row.hint}),
            round);
      return keep_lane_row(event.unit, std::move(event.row), round);
    }
    case LaneEvent::What::kReturned: {
      round.at_hand.erase(event.lane);
      if (round.queue.give_back(event.unit)) return Done{};
      return keep_lane_row(event.unit, failed_row(event.unit, event.error), round);
    }
    case LaneEvent::What::kLost:
      progress_.warn(fmt::format("{} leaves the run: {}", round.lanes.name_of(event.lane),
                                 event.error.message));
      if (!outcome_.lost) outcome_.lost = std::move(event.error);
      return Done{};
  }
  return Done{};
}

Status RunSession::keep_lane_row(std::size_t unit, Evaluation row, LaneRound& round) {
  auto kept = keep_row(unit, std::move(row), round.started_at[unit]);
  if (!kept) return kept;
  ++round.done;
  if (!round.at_hand.empty()) tell_units(round);
  return Done{};
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
