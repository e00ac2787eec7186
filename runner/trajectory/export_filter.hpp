// Which episodes a model may be trained on. Pure functions of an episode, its texts and what its
// last submission was worth; each rejection has one reason, the first that holds, and all of them
// are counted.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/trajectory/episode.hpp"

namespace kbench {

// The parts of an episode that a filter reads.
struct Trajectory {
  const Episode* episode = nullptr;
  const Contents* contents = nullptr;  // texts of the episode; one that is missing is like no other
  std::optional<double> reward;        // reward of the last submission; empty: it is worth nothing
  std::string reward_reason;           // why there is none
  bool flagged = false;                // see is_flagged
  bool held_out = false;               // no model may be trained on its task
};

enum class FilterRule {
  kStrict,     // reward of 1 or more, and none of the faults below
  kCudaAgent,  // CUDA Agent's: reward above 0, no redundant loop, no invented tool, no bad schema
  kAll,        // any episode that has ended and is worth something
};

enum class Rejection {
  kUnfinished,  // rejected by every rule, like the next two
  kHeldOut,
  kNoReward,
  kLowReward,     // a reward below 1; CUDA Agent's rule: not above 0
  kInvalidCall,   // strict rule: any invalid call
  kUnknownTool,   // CUDA Agent's: a tool that was not offered
  kBadArguments,  // CUDA Agent's: no JSON, or not what the tool takes
  kRepeatedCall,  // the same call thrice on one tree
  kTreeCycle,     // the same trees in the same order, three times round
  kNotSubmitted,  // strict: it did not end by submitting
  kFlagged,       // strict: the row needs a look
  kDamaged,       // a text of it is lost; found when it is rendered
};

[[nodiscard]] std::string_view to_string(FilterRule rule);      // "strict"
[[nodiscard]] std::string_view to_string(Rejection rejection);  // "low_reward"
[[nodiscard]] std::optional<FilterRule> filter_rule_from_string(std::string_view text);
[[nodiscard]] std::span<const FilterRule> filter_rules();
[[nodiscard]] std::span<const Rejection> rejections();  // order: as they are looked for

// Why the rule does not take it; nothing where it does.
[[nodiscard]] std::optional<Rejection> reject(const Trajectory& trajectory, FilterRule rule);

// True for three calls of the same tool with the same arguments (as JSON values), while the kernels
// were the same.
[[nodiscard]] bool repeats_a_call(const Trajectory& trajectory);
// True for two to 64 trees, one after the other, and the same again, and again. Going back to what
// was there is no cycle: an agent that measures what a change brings does that.
[[nodiscard]] bool goes_round(const Episode& episode);

// True if any of a row's labels tells of something that may not be what it seems. Streams, graphs,
// threads, assembly and a busy machine do not.
[[nodiscard]] bool is_flagged(std::string_view labels);

struct FilterCounts {
  int seen = 0;
  int kept = 0;
  std::map<Rejection, int> rejected;

  void add(std::optional<Rejection> rejection);
};
// "12 of 30 episodes, 18 rejected: 7 low_reward, 11 not_submitted".
[[nodiscard]] std::string words(const FilterCounts& counts);

}  // namespace kbench
