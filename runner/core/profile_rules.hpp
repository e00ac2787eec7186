// Verdicts on a profile, by rules that are data (profile_rules.json, compiled in). A verdict is out
// of the closed list of that file, and its sentences are the rule's with facts filled in, so that a
// stored profile can say no others. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// The verdict where no rule holds.
inline constexpr std::string_view kNoVerdict = "not_judged";

// Facts of a profile by name, as runner/profile/facts.hpp explains them. A fact that is not known
// is not there.
struct ProfileFacts {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;  // names for evidence: spill_kernel, top_kernel
};

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
  // A fact and the most that it can be: the suggestion saves at most the part of the longest
  // kernel's time that is missing from it. Empty: no such bound.
  std::string used;
  double most_used = 0;
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

// A rule that one of its conditions keeps from holding, narrowly.
struct CloseRule {
  std::string verdict;
  std::string title;
  std::string evidence;  // its fact has as many digits as tell it from the bound
  std::string fact;      // the fact of that condition
  double value = 0;
  std::string comparison;
  double bound = 0;
  std::string asks;  // "its rule asks dram_ratio >= 1.5; here it is 1.496"
};

// Errors: kBadInput, naming the rule and what is wrong with it.
[[nodiscard]] Result<std::vector<ProfileRule>> parse_profile_rules(std::string_view json);
// The text of profile_rules.json, compiled in.
extern const std::string_view kProfileRuleList;
// The rules of profile_rules.json.
[[nodiscard]] const std::vector<ProfileRule>& profile_rules();
// The shipped rule of that verdict; null where there is none.
[[nodiscard]] const ProfileRule* find_profile_rule(std::string_view verdict);

// The rule's sentences with these facts in them, whether it holds or not.
[[nodiscard]] ProfileFinding finding_of(const ProfileRule& rule, const ProfileFacts& facts);

// Why there is no verdict, where no rule holds.
[[nodiscard]] const char* why_not_judged(const ProfileFacts& facts, bool has_kernels);

// All rules that hold: the verdict first, the others by what they could save.
[[nodiscard]] std::vector<ProfileFinding> find_verdicts(const std::vector<ProfileRule>& rules,
                                                        const ProfileFacts& facts);

// Rules to look at where none holds: all of their facts are known, and one condition alone fails,
// by at most a fifth of its bound. Nearest first, at most two.
[[nodiscard]] std::vector<CloseRule> closest_rules(const std::vector<ProfileRule>& rules,
                                                   const ProfileFacts& facts);

// Hardware counters of the longest kernel, and of the bytes that the call moved: the known ones, at
// most two lines. Empty without counters.
[[nodiscard]] std::vector<std::string> counter_lines(const ProfileFacts& facts);

}  // namespace kbench
