#include "runner/trajectory/render_episode.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/trajectory/value_targets.hpp"

namespace kbench {
namespace {

constexpr std::size_t kShownOfAHash = 12;

Error bad(const Episode& episode, const std::string& what) {
  return {ErrorCode::kBadInput, fmt::format("episode {}: {}", episode.id.substr(0, 12), what),
          "`kbench db check` says what else is damaged"};
}

class Renderer {
 public:
  Renderer(const EpisodeLine& line, ExportKind kind)
      : line_(line), kind_(kind), episode_(*line.trajectory.episode) {}

  Result<std::string> render() {
    if (auto read = read_messages(); !read) return read.error();
    if (auto read = read_tools(); !read) return read.error();
    if (auto read = read_turns(); !read) return read.error();
    if (kind_ == ExportKind::kPpo)
      if (auto added = add_targets(); !added) return added.error();
    const auto& reward = line_.trajectory.reward;
    const Json whole = {{"messages", std::move(messages_)},
                        {"tools", std::move(tools_)},
                        {"task", episode_.task},
                        {"reward", reward ? Json(*reward) : Json()},
                        {"meta", meta()}};
    return whole.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  }

 private:
  Result<Json> read(const std::string& hash) const {
    const auto text = line_.trajectory.contents->find(hash);
    if (text == line_.trajectory.contents->end())
      return bad(episode_, fmt::format("text {} is missing", hash.substr(0, kShownOfAHash)));
    auto json = parse_bounded_json(text->second);
    if (!json) return bad(episode_, "a message is no JSON: " + json.error().message);
    return json;
  }

  Result<Json> read_list(const std::vector<std::string>& hashes) const {
    Json list = Json::array();
    for (const std::string& hash : hashes) {
      auto message = read(hash);
      if (!message) return message.error();
      list.push_back(std::move(*message));
    }
    return list;
  }

  Status read_messages() {
    conversation_ = conversation_of(episode_);
    auto messages = read_list(conversation_.messages);
    if (!messages) return messages.error();
    messages_ = std::move(*messages);
    return add_last_results();
  }

  // No further prompt holds them.
  Status add_last_results() {
    if (episode_.turns.empty()) return Done{};
    const Json reply = messages_.back();
    const Json ids = reply.is_object() ? reply.value("tool_calls", Json()) : Json();
    const auto& calls = episode_.turns.back().calls;
    for (std::size_t i = 0; i < calls.size() && ids.is_array() && i < ids.size(); ++i) {
      const auto text = line_.trajectory.contents->find(calls[i].result);
      if (text == line_.trajectory.contents->end())
        return bad(episode_, "the result of its last call is missing");
      messages_.push_back(
          {{"role", "tool"},
           {"tool_call_id", ids[i].is_object() ? ids[i].value("id", Json()) : Json()},
           {"content", text->second}});
    }
    return Done{};
  }

  Status read_tools() {
    tools_ = Json::array();
    if (episode_.turns.empty() || episode_.turns.back().tools.empty()) return Done{};
    auto tools = read(episode_.turns.back().tools);
    if (!tools) return tools.error();
    tools_ = std::move(*tools);
    return Done{};
  }

  Status read_turns() {
    const auto number = [](const auto& value) { return value ? Json(*value) : Json(); };
    turns_ = Json::array();
    for (std::size_t i = 0; i < episode_.turns.size(); ++i) {
      const Turn& turn = episode_.turns[i];
      Json one = {{"reply", conversation_.replies[i]},
                  {"finish_reason", turn.finish_reason},
                  {"prompt_tokens", number(turn.prompt_tokens)},
                  {"completion_tokens", number(turn.completion_tokens)},
                  {"invalid_calls", turn.invalid_calls},
                  {"compacted", turn.compacted}};
      if (turn.compacted > 0) {
        auto prompt = read_list(prompt_of(episode_, i));
        if (!prompt) return prompt.error();
        one["prompt"] = std::move(*prompt);
      }
      turns_.push_back(std::move(one));
    }
    return Done{};
  }

  // The reward comes with the last turn.
  Status add_targets() {
    std::vector<double> rewards(episode_.turns.size());
    if (!rewards.empty()) rewards.back() = line_.trajectory.reward.value_or(0);
    auto targets = line_.values ? value_targets(rewards, *line_.values)
                                : Result<ValueTargets>(value_targets(rewards));
    if (!targets) return bad(episode_, targets.error().message);
    for (std::size_t i = 0; i < rewards.size(); ++i) {
      turns_[i]["reward"] = rewards[i];
      turns_[i]["value"] = line_.values ? Json((*line_.values)[i]) : Json();
      turns_[i]["advantage"] = targets->advantages ? Json((*targets->advantages)[i]) : Json();
      turns_[i]["target"] = targets->targets[i];
    }
    return Done{};
  }

  Json meta() {
    const auto object = [](const std::string& text) {
      auto json = parse_bounded_json(text);
      return json ? std::move(*json) : Json();
    };
    const auto text = [](std::string_view value) { return value.empty() ? Json() : Json(value); };
    return {{"kind", to_string(kind_)},
            {"episode", episode_.id},
            {"run", episode_.run_id},
            {"model", episode_.model},
            {"size", episode_.size},
            {"device", episode_.device},
            {"seed", episode_.seed},
            {"sampling", object(episode_.sampling)},
            {"budget", object(episode_.budget)},
            {"started_at", episode_.started_at},
            {"finished_at", text(episode_.finished_at)},
            {"stop_reason", episode_.stop_reason ? Json(to_string(*episode_.stop_reason)) : Json()},
            {"reward_name", line_.reward_name},
            {"reward_reason", text(line_.trajectory.reward_reason)},
            {"state", text(line_.state)},
            {"turns", std::move(turns_)}};
  }

  const EpisodeLine& line_;
  ExportKind kind_;
  const Episode& episode_;
  Conversation conversation_;
  Json messages_;
  Json tools_;
  Json turns_;
};

}  // namespace

std::string_view to_string(ExportKind kind) {
  switch (kind) {
    case ExportKind::kSft: return "sft";
    case ExportKind::kRft: return "rft";
    case ExportKind::kPpo: return "ppo";
  }
  return "";
}

FilterRule default_rule(ExportKind kind) {
  switch (kind) {
    case ExportKind::kSft: return FilterRule::kCudaAgent;
    case ExportKind::kRft: return FilterRule::kStrict;
    case ExportKind::kPpo: return FilterRule::kAll;
  }
  return FilterRule::kStrict;
}

Result<std::string> render_episode(const EpisodeLine& line, ExportKind kind) {
  return Renderer(line, kind).render();
}

}  // namespace kbench
