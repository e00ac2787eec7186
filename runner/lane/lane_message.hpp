// Messages between a coordinator and its lanes, over a Channel. The coordinator has the plan, the
// builders, the store and the chain; a lane has one device. Orders, facts, units and results are
// JSON that the sender and the measuring lane agree on: nothing of them is looked at on the way.
//
//   coordinator                     lane
//   take {order}              ->    waits for its device
//                             <-    taken | failed {error}
//   start                     ->    starts what measures
//                             <-    ready {facts} | failed {error}
//   measure {unit, seconds}   ->    one unit; others that wait for the device have a turn before
//                             <-    result {body, lost?} | result {error, lost?}
//   end {lost}                ->    gives the device back, and ends
//
// Between any two of them a lane tells how it goes. It ends as well where the coordinator does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

enum class LaneAsk { kTake, kStart, kMeasure, kEnd };

struct LaneRequest {
  LaneAsk ask = LaneAsk::kEnd;
  Json body;               // the order, or the unit
  double seconds = 0;      // time that the unit will probably take; 0: unknown
  bool gives_turn = true;  // before the unit, where a command waits for the device
  bool lost = false;       // the end: nothing of the device is kept
};

// The result of a unit, or the reason why it has none, and whether the device may be measured on
// after it.
struct LaneResult {
  Json body = {};
  std::optional<Error> failure = std::nullopt;  // why there is no body
  std::optional<Error> lost = std::nullopt;
};

enum class LaneAnswer { kNote, kDetail, kWarning, kStep, kTaken, kReady, kResult, kFailed };

struct LaneReply {
  LaneAnswer answer = LaneAnswer::kNote;
  std::string text;              // text of a kNote, kDetail, ...
  Json facts;                    // facts of kReady
  LaneResult result;             // result of kResult
  std::optional<Error> failure;  // error of kFailed
};

// `what`, "the result", is longer than a message may be.
[[nodiscard]] Error longer_than_a_message(std::string_view what);

[[nodiscard]] Json to_json(const LaneRequest& request);
[[nodiscard]] Json to_json(const LaneReply& reply);
// Errors: kBadInput.
[[nodiscard]] Result<LaneRequest> lane_request_from_json(const Json& json);
[[nodiscard]] Result<LaneReply> lane_reply_from_json(const Json& json);

}  // namespace kbench
