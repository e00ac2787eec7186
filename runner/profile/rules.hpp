// Verdicts on a profile, by rules that are data (rules.json, compiled in). A verdict is out of the
// closed list of that file. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/profile/facts.hpp"

namespace kbench {

// The verdict where no rule holds.
inline constexpr std::string_view kNoVerdict = "not_judged";

struct ProfileCondition {
  std::string fact;
  std::string comparison;  // ">=", ">", "<=", "<", "=="
  // A number, or a fact times a number.
  double factor = 0;
  std::string other;  // empty: `factor` alone
};

struct ProfileRule {
  std::string verdict;  // "launch_bound"
  std::string title;    // "launch-bound"
  bool near = false;    // little is left to win
  std::vector<ProfileCondition> when;
  // Sentences with {facts} in them.
  std::string evidence;
  std::string wrong_if;
  std::string suggestion;
  std::string saves;  // a fact: microseconds of a call that the suggestion saves at most
};

// A rule that holds, with its facts filled in.
struct ProfileFinding {
  std::string verdict;
  std::string title;
  std::string evidence;
  std::string wrong_if;
  std::string suggestion;
  double saves_us = 0;
};

// Errors: kBadInput, naming the rule and what is wrong with it.
[[nodiscard]] Result<std::vector<ProfileRule>> parse_profile_rules(std::string_view json);
// The rules of rules.json.
[[nodiscard]] const std::vector<ProfileRule>& profile_rules();

// All that hold: the verdict first, the others by what they could save.
[[nodiscard]] std::vector<ProfileFinding> find_verdicts(const std::vector<ProfileRule>& rules,
                                                        const Facts& facts);

}  // namespace kbench
