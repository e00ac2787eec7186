// States of an episode of ours: one for each kernel that was judged. In style refine the context is
// the next prompt, with the anchor in place of the judge's words; in style react it is fresh. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/trajectory/episode.hpp"
#include "runner/trajectory/frozen_state.hpp"

namespace kbench {

struct EpisodeToFreeze {
  const Episode& episode;
  const Contents& contents;                       // texts of the episode, and files of its rows
  const std::map<std::string, Evaluation>& rows;  // rows of its run, by key
  // The message that tells what the judge said, as the agent's loop words it.
  std::function<std::string(const std::string& judged)> next_message;
};

// Errors: kBadInput, where the episode's texts are damaged.
[[nodiscard]] Result<FrozenTexts> freeze_episode(const EpisodeToFreeze& input);

// "not built", "wrong" or "correct".
[[nodiscard]] std::string_view stratum_of(const Evaluation& row);

}  // namespace kbench
