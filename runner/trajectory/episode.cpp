#include "runner/trajectory/episode.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kbench {
namespace {

constexpr std::array kCallErrors{CallError::kNone,         CallError::kUnknownTool,
                                 CallError::kBadArguments, CallError::kRefused,
                                 CallError::kOverBudget,   CallError::kInfrastructure};
constexpr std::array kStopReasons{
    StopReason::kSubmit, StopReason::kAnswered,    StopReason::kTurns,
    StopReason::kTokens, StopReason::kEvaluations, StopReason::kSeconds,
    StopReason::kWindow, StopReason::kEndpoint,    StopReason::kInfrastructure};

template <class List>
auto named(const List& list, std::string_view text) -> std::optional<typename List::value_type> {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](auto one) { return to_string(one) == text; });
  return found == list.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::string_view to_string(CallError error) {
  switch (error) {
    case CallError::kNone: return "";
    case CallError::kUnknownTool: return "unknown_tool";
    case CallError::kBadArguments: return "bad_arguments";
    case CallError::kRefused: return "refused";
    case CallError::kOverBudget: return "over_budget";
    case CallError::kInfrastructure: return "infrastructure";
  }
  return "";
}

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::kSubmit: return "submit";
    case StopReason::kAnswered: return "answered";
    case StopReason::kTurns: return "turns";
    case StopReason::kTokens: return "tokens";
    case StopReason::kEvaluations: return "evaluations";
    case StopReason::kSeconds: return "seconds";
    case StopReason::kWindow: return "window";
    case StopReason::kEndpoint: return "endpoint";
    case StopReason::kInfrastructure: return "infrastructure";
  }
  return "";
}

std::optional<CallError> call_error_from_string(std::string_view text) {
  return named(kCallErrors, text);
}

std::optional<StopReason> stop_reason_from_string(std::string_view text) {
  return named(kStopReasons, text);
}

bool is_invalid(CallError error) {
  return error == CallError::kUnknownTool || error == CallError::kBadArguments;
}

bool is_infrastructure(StopReason reason) {
  return reason == StopReason::kEndpoint || reason == StopReason::kInfrastructure;
}

std::vector<std::string> prompt_of(const Episode& episode, std::size_t turn) {
  // The last one up to it that stands for itself.
  std::size_t first = turn;
  while (first > 0 && episode.turns[first].continues) --first;
  std::vector<std::string> messages;
  for (std::size_t i = first; i <= turn; ++i) {
    if (i > first) messages.push_back(episode.turns[i - 1].reply);
    const auto& own = episode.turns[i].messages;
    messages.insert(messages.end(), own.begin(), own.end());
  }
  return messages;
}

Conversation conversation_of(const Episode& episode) {
  Conversation all;
  for (std::size_t i = 0; i < episode.turns.size(); ++i) {
    const Turn& turn = episode.turns[i];
    std::vector<std::string> fresh;
    if (i == 0 || turn.continues) {
      fresh = turn.messages;
    } else {
      // A shortened prompt has as many messages as it had: what is behind those is new.
      const std::vector<std::string> prompt = prompt_of(episode, i);
      const std::size_t known = std::min(all.messages.size(), prompt.size());
      fresh.assign(prompt.begin() + static_cast<std::ptrdiff_t>(known), prompt.end());
    }
    all.messages.insert(all.messages.end(), fresh.begin(), fresh.end());
    all.replies.push_back(all.messages.size());
    all.messages.push_back(turn.reply);
  }
  return all;
}

std::set<std::string> texts_of(const Episode& episode) {
  std::set<std::string> hashes;
  for (const Turn& turn : episode.turns) {
    hashes.insert(turn.messages.begin(), turn.messages.end());
    hashes.insert(turn.reply);
    if (!turn.tools.empty()) hashes.insert(turn.tools);
    for (const ToolCall& call : turn.calls) {
      hashes.insert(call.arguments);
      hashes.insert(call.result);
    }
  }
  return hashes;
}

std::string last_evaluation(const Episode& episode) {
  for (auto turn = episode.turns.rbegin(); turn != episode.turns.rend(); ++turn)
    for (auto call = turn->calls.rbegin(); call != turn->calls.rend(); ++call)
      if (!call->evaluation.empty()) return call->evaluation;
  return "";
}

}  // namespace kbench
