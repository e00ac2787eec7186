// One episode as one line of JSON for a trainer, in the shape of chat templates:
//
//   {"messages": [...], "tools": [...], "task": "level1/019_relu", "reward": 2.0, "meta": {...}}
//
// `messages` is everything that was said, each message as it was said first, and what the last
// calls were told. meta.turns has an entry for each turn: where in `messages` its reply stands, its
// tokens, and, where its prompt stood there shortened, that prompt. For "ppo" each has reward,
// value, advantage and target as well. Pure ASCII.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/trajectory/export_filter.hpp"

namespace kbench {

enum class ExportKind {
  kSft,  // demonstrations
  kRft,  // rejection fine-tuning
  kPpo,  // PPO has value targets
};
[[nodiscard]] std::string_view to_string(ExportKind kind);  // "sft"
// The rule without --filter: strict for rft, CUDA Agent's for sft, all for ppo.
[[nodiscard]] FilterRule default_rule(ExportKind kind);

struct EpisodeLine {
  Trajectory trajectory;
  std::string reward_name;                    // "milestone_sure"
  std::string state;                          // state of the last row, "ok"; empty without any
  std::optional<std::vector<double>> values;  // values of its turns; for kPpo only
};

// An episode as text without a line break. Errors: kBadInput, where a text of it is missing, or is
// not what it should be, or the values do not fit.
[[nodiscard]] Result<std::string> render_episode(const EpisodeLine& line, ExportKind kind);

}  // namespace kbench
