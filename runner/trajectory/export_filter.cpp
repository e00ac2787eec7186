#include "runner/trajectory/export_filter.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/bounded_json.hpp"

namespace kbench {
namespace {

constexpr int kMostEqualCalls = 2;
constexpr std::size_t kRounds = 3;
constexpr std::size_t kLongestCycle = 64;
constexpr double kStrictReward = 1;

constexpr std::array kRules{FilterRule::kStrict, FilterRule::kCudaAgent, FilterRule::kAll};
constexpr std::array kRejections{
    Rejection::kUnfinished,   Rejection::kHeldOut,      Rejection::kNoReward,
    Rejection::kLowReward,    Rejection::kInvalidCall,  Rejection::kUnknownTool,
    Rejection::kBadArguments, Rejection::kRepeatedCall, Rejection::kTreeCycle,
    Rejection::kNotSubmitted, Rejection::kFlagged,      Rejection::kDamaged};

// Labels that many good kernels have, and those that are no fault of the kernel.
constexpr std::array<std::string_view, 5> kHarmless = {"stream", "graph", "thread",
                                                       "inline_assembly", "busy_machine"};

// A call's arguments as JSON values, so that neither blanks nor the order of names make another
// call of it.
std::string canonical(const std::string& hash, const Contents& contents) {
  const auto text = contents.find(hash);
  if (text == contents.end()) return hash;
  const auto json = parse_bounded_json(text->second);
  if (!json) return text->second;
  return json->dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

template <class Act>
void each_call(const Episode& episode, const Act& act) {
  for (const Turn& turn : episode.turns)
    for (const ToolCall& call : turn.calls) act(call);
}

bool has_error(const Episode& episode, CallError error) {
  bool found = false;
  each_call(episode, [&](const ToolCall& call) { found = found || call.error == error; });
  return found;
}

int invalid_calls(const Episode& episode) {
  int sum = 0;
  for (const Turn& turn : episode.turns) sum += turn.invalid_calls;
  each_call(episode, [&](const ToolCall& call) { sum += is_invalid(call.error) ? 1 : 0; });
  return sum;
}

// The kernels as they became, one after the other.
std::vector<std::string_view> trees_of(const Episode& episode) {
  std::vector<std::string_view> trees;
  const auto note = [&](std::string_view tree) {
    if (trees.empty() || trees.back() != tree) trees.push_back(tree);
  };
  each_call(episode, [&](const ToolCall& call) {
    note(call.tree_before);
    note(call.tree_after);
  });
  return trees;
}

std::optional<Rejection> reject_strictly(const Trajectory& trajectory) {
  const Episode& episode = *trajectory.episode;
  if (*trajectory.reward < kStrictReward) return Rejection::kLowReward;
  if (invalid_calls(episode) > 0) return Rejection::kInvalidCall;
  if (repeats_a_call(trajectory)) return Rejection::kRepeatedCall;
  if (goes_round(episode)) return Rejection::kTreeCycle;
  if (episode.stop_reason != StopReason::kSubmit) return Rejection::kNotSubmitted;
  if (trajectory.flagged) return Rejection::kFlagged;
  return std::nullopt;
}

std::optional<Rejection> reject_as_cuda_agent(const Trajectory& trajectory) {
  const Episode& episode = *trajectory.episode;
  if (!(*trajectory.reward > 0)) return Rejection::kLowReward;
  if (has_error(episode, CallError::kUnknownTool)) return Rejection::kUnknownTool;
  if (has_error(episode, CallError::kBadArguments)) return Rejection::kBadArguments;
  if (repeats_a_call(trajectory)) return Rejection::kRepeatedCall;
  if (goes_round(episode)) return Rejection::kTreeCycle;
  return std::nullopt;
}

}  // namespace

std::string_view to_string(FilterRule rule) {
  switch (rule) {
    case FilterRule::kStrict: return "strict";
    case FilterRule::kCudaAgent: return "cuda-agent";
    case FilterRule::kAll: return "all";
  }
  return "";
}

std::string_view to_string(Rejection rejection) {
  switch (rejection) {
    case Rejection::kUnfinished: return "unfinished";
    case Rejection::kHeldOut: return "held_out";
    case Rejection::kNoReward: return "no_reward";
    case Rejection::kLowReward: return "low_reward";
    case Rejection::kInvalidCall: return "invalid_call";
    case Rejection::kUnknownTool: return "unknown_tool";
    case Rejection::kBadArguments: return "bad_arguments";
    case Rejection::kRepeatedCall: return "repeated_call";
    case Rejection::kTreeCycle: return "tree_cycle";
    case Rejection::kNotSubmitted: return "not_submitted";
    case Rejection::kFlagged: return "flagged";
    case Rejection::kDamaged: return "damaged";
  }
  return "";
}

std::optional<FilterRule> filter_rule_from_string(std::string_view text) {
  const auto* found = std::find_if(kRules.begin(), kRules.end(),
                                   [&](FilterRule rule) { return to_string(rule) == text; });
  return found == kRules.end() ? std::nullopt : std::optional(*found);
}

std::span<const FilterRule> filter_rules() { return kRules; }
std::span<const Rejection> rejections() { return kRejections; }

std::optional<Rejection> reject(const Trajectory& trajectory, FilterRule rule) {
  if (!trajectory.episode->stop_reason) return Rejection::kUnfinished;
  if (trajectory.held_out) return Rejection::kHeldOut;
  if (!trajectory.reward) return Rejection::kNoReward;
  switch (rule) {
    case FilterRule::kStrict: return reject_strictly(trajectory);
    case FilterRule::kCudaAgent: return reject_as_cuda_agent(trajectory);
    case FilterRule::kAll: break;
  }
  return std::nullopt;
}

bool repeats_a_call(const Trajectory& trajectory) {
  std::map<std::tuple<std::string, std::string, std::string>, int> times;
  int most = 0;
  each_call(*trajectory.episode, [&](const ToolCall& call) {
    const int now =
        ++times[{call.tool, canonical(call.arguments, *trajectory.contents), call.tree_before}];
    most = std::max(most, now);
  });
  return most > kMostEqualCalls;
}

bool goes_round(const Episode& episode) {
  const std::vector<std::string_view> trees = trees_of(episode);
  const std::size_t longest = std::min(kLongestCycle, trees.size() / kRounds);
  for (std::size_t period = 2; period <= longest; ++period) {
    std::size_t equal = 0;  // trees in a row that are what they were a period ago
    for (std::size_t i = period; i < trees.size(); ++i) {
      equal = trees[i] == trees[i - period] ? equal + 1 : 0;
      if (equal == (kRounds - 1) * period) return true;
    }
  }
  return false;
}

bool is_flagged(std::string_view labels) {
  while (!labels.empty()) {
    const std::size_t end = std::min(labels.find(' '), labels.size());
    const std::string_view label = labels.substr(0, end);
    labels.remove_prefix(std::min(end + 1, labels.size()));
    if (!label.empty() && std::find(kHarmless.begin(), kHarmless.end(), label) == kHarmless.end())
      return true;
  }
  return false;
}

void FilterCounts::add(std::optional<Rejection> rejection) {
  ++seen;
  if (rejection)
    ++rejected[*rejection];
  else
    ++kept;
}

std::string words(const FilterCounts& counts) {
  std::vector<std::string> reasons;
  for (const Rejection rejection : kRejections)
    if (const auto found = counts.rejected.find(rejection); found != counts.rejected.end())
      reasons.push_back(fmt::format("{} {}", found->second, to_string(rejection)));
  std::string text =
      fmt::format("{} of {} episode{}", counts.kept, counts.seen, counts.seen == 1 ? "" : "s");
  if (!reasons.empty())
    text += fmt::format(", {} rejected: {}", counts.seen - counts.kept, fmt::join(reasons, ", "));
  return text;
}

}  // namespace kbench
