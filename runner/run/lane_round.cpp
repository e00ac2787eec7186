// Evaluating on several lanes: a unit is pulled by whichever lane is free (of a calibration by each
// lane, RunTerms::on_each_device), and its row stored as it comes. Plan, builds, store and chain
// are the session's alone.
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
  std::vector<UnitQueue> queues;                       // one for all lanes, or one a lane
  std::map<std::size_t, double> expected = {};         // seconds, by unit
  std::map<std::size_t, std::string> started_at = {};  // time of the unit at hand, by lane
  std::map<std::size_t, std::size_t> at_hand = {};     // units, by lane
  std::size_t done = 0;                                // rows
  std::size_t given_up = 0;                            // units of lanes that are out

  [[nodiscard]] UnitQueue& queue_of(std::size_t lane) {
    return queues.size() == 1 ? queues.front() : queues[lane];
  }
  [[nodiscard]] std::size_t left() const {
    std::size_t left = given_up;
    for (const UnitQueue& queue : queues) left += queue.left();
    return left;
  }
  // The units of a lane that is out: no other lane takes them if each measures all.
  void give_up(std::size_t lane) {
    if (queues.size() == 1) return;
    given_up += queues[lane].left();
    queues[lane] = UnitQueue({});
  }
  [[nodiscard]] bool any_to_pull() const { return left() > given_up; }
};

Status RunSession::evaluate_on_lanes(LaneFleet& lanes, const std::function<bool()>& interrupted) {
  std::vector<std::size_t> open = open_units();
  const bool each = terms_.on_each_device;
  order_units(each ? terms_.order : order_for_lanes(terms_.order), expected_seconds(open),
              random_order_seed(), open);
  const std::vector<double> expected = expected_seconds(open);
  const std::size_t queues = each ? lanes.size() : 1;
  LaneRound round{.lanes = lanes, .queues = std::vector<UnitQueue>(queues, UnitQueue(open))};
  for (std::size_t i = 0; i < open.size(); ++i) round.expected[open[i]] = expected[i];
  // The times become those from one row to the next: so many are measured at once.
  std::vector<double> apart;
  for (std::size_t queue = 0; queue < queues; ++queue)
    for (const double seconds : expected)
      apart.push_back(seconds / static_cast<double>(lanes.size()));
  progress_.begin("evaluating", std::move(apart));
  rows_before_ = outcome_.rows;
  while (true) {
    outcome_.interrupted = outcome_.interrupted || interrupted();
    const bool goes_on = !outcome_.interrupted && !outcome_.stopped && lanes.any_left();
    if (goes_on)
      if (auto given = hand_out(round); !given) return given;
    if (!lanes.any_busy() && (!goes_on || !round.any_to_pull())) break;
    for (LaneEvent& event : lanes.wait(kTick))
      if (auto heeded = heed(event, round); !heeded) return heeded;
    if (shared_ && shared_->is_due())
      if (auto published = publish_waiting(); !published) return published;
    progress_.tick();
  }
  outcome_.left_pending = round.left();
  outcome_.stopped = outcome_.stopped && outcome_.left_pending > 0;
  Status published = publish_waiting();
  progress_.end();
  return published;
}

// A unit for each lane that has none. What needs no measurement needs no lane either.
Status RunSession::hand_out(LaneRound& round) {
  for (const std::size_t lane : round.lanes.idle()) {
    while (!outcome_.stopped) {
      const auto unit = round.queue_of(lane).pull();
      if (!unit) break;
      if (take_answer(*unit)) {
        ++round.done;
        continue;
      }
      if (!ends_early(*unit)) {
        begin_on_lane(lane, *unit, round);
        break;
      }
      tell_units(round);
      if (auto kept = keep_row(*unit, ended_early(*unit), utc_now(), device_of(lane, round)); !kept)
        return kept;
      ++round.done;
    }
  }
  return Done{};
}

void RunSession::begin_on_lane(std::size_t lane, std::size_t unit, LaneRound& round) {
  LaneRequest request;
  request.ask = LaneAsk::kMeasure;
  request.body = bench_->lanes()->order_of(unit);
  request.seconds = round.expected[unit];
  round.started_at[lane] = utc_now();
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
      if (says_nothing && round.queue_of(event.lane).give_back(event.unit)) return Done{};
      if (is_no_row)
        return keep_lane_row(
            event,
            failed_row(event.unit, {ErrorCode::kInfrastructure, event.row.message, event.row.hint}),
            round);
      return keep_lane_row(event, std::move(event.row), round);
    }
    case LaneEvent::What::kReturned: {
      round.at_hand.erase(event.lane);
      if (round.queue_of(event.lane).give_back(event.unit)) return Done{};
      return keep_lane_row(event, failed_row(event.unit, event.error), round);
    }
    case LaneEvent::What::kLost:
      round.give_up(event.lane);
      progress_.warn(fmt::format("{} leaves the run: {}", round.lanes.name_of(event.lane),
                                 event.error.message));
      if (!outcome_.lost) outcome_.lost = std::move(event.error);
      return Done{};
  }
  return Done{};
}

// The device whose row it is, where each device has a row of the unit; else none.
std::string RunSession::device_of(std::size_t lane, const LaneRound& round) {
  return round.queues.size() == 1 ? "" : round.lanes.name_of(lane);
}

Status RunSession::keep_lane_row(const LaneEvent& event, Evaluation row, LaneRound& round) {
  auto kept = keep_row(event.unit, std::move(row), round.started_at[event.lane],
                       device_of(event.lane, round));
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
