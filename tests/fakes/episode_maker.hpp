// Episodes made by hand: texts are kept under their hashes as they are mentioned.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/trajectory/episode.hpp"

namespace kbench::test {

// One call of a turn. Trees are short names here; in a store they are hashes.
struct PlannedCall {
  std::string tool = "verify";
  std::string arguments = "{}";
  std::string before = "t0";
  std::string after;  // empty: as before
  CallError error = CallError::kNone;
  std::string evaluation;  // key of the row
  std::string result = "fine";
};

class EpisodeMaker {
 public:
  explicit EpisodeMaker(const std::string& id = "e1", const std::string& run_id = "aa") {
    episode_.id = id;
    episode_.run_id = run_id;
    episode_.task = "level1/019_relu";
    episode_.size = "small";
    episode_.device = "cpu";
    episode_.model = "scripted";
    episode_.sampling = R"({"style":"react","temperature":0.5})";
    episode_.seed = 7;
    episode_.budget = R"({"turns":8})";
    episode_.started_at = "2026-11-21T13:00:00Z";
  }

  std::string keep(const std::string& text) {
    std::string hash = sha256(text);
    contents_[hash] = text;
    return hash;
  }
  // Keeps JSON whose texts may hold any bytes.
  std::string keep_json(const Json& json) {
    return keep(json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace));
  }
  std::string keep_message(const std::string& role, const std::string& text) {
    return keep_json({{"role", role}, {"content", text}});
  }

  // A turn whose reply makes these calls. The results of the turn before come in front of it.
  EpisodeMaker& turn(const std::vector<PlannedCall>& calls) {
    Turn turn;
    turn.tools = keep(R"([{"type":"function","function":{"name":"verify"}}])");
    turn.continues = !episode_.turns.empty();
    turn.messages = std::exchange(pending_, {});
    if (!turn.continues) turn.messages = {keep_message("system", "s"), keep_message("user", "u")};
    Json reply = {{"role", "assistant"}, {"content", "turn " + std::to_string(++turns_)}};
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const PlannedCall& planned = calls[i];
      const std::string id = "call-" + std::to_string(turns_) + "-" + std::to_string(i);
      reply["tool_calls"].push_back(
          {{"id", id},
           {"type", "function"},
           {"function", {{"name", planned.tool}, {"arguments", planned.arguments}}}});
      pending_.push_back(
          keep_json({{"role", "tool"}, {"tool_call_id", id}, {"content", planned.result}}));
      ToolCall call;
      call.tool = planned.tool;
      call.arguments = keep(planned.arguments);
      call.result = keep(planned.result);
      call.error = planned.error;
      call.tree_before = planned.before;
      call.tree_after = planned.after.empty() ? planned.before : planned.after;
      call.evaluation = planned.evaluation;
      call.wall_ms = 3;
      turn.invalid_calls += is_invalid(planned.error) ? 1 : 0;
      turn.calls.push_back(std::move(call));
    }
    turn.reply = keep_json(reply);
    turn.finish_reason = calls.empty() ? "stop" : "tool_calls";
    turn.prompt_tokens = 100 * turns_;
    turn.completion_tokens = 10;
    turn.wall_ms = 5;
    episode_.turns.push_back(std::move(turn));
    return *this;
  }

  EpisodeMaker& end(StopReason reason) {
    episode_.stop_reason = reason;
    episode_.finished_at = "2026-11-21T13:05:00Z";
    return *this;
  }

  [[nodiscard]] const std::vector<std::string>& pending() const { return pending_; }
  Episode& episode() { return episode_; }
  [[nodiscard]] const Contents& contents() const { return contents_; }

 private:
  Episode episode_;
  Contents contents_;
  std::vector<std::string> pending_;  // messages of the results that no prompt has yet
  std::int64_t turns_ = 0;
};

}  // namespace kbench::test
