#include "runner/core/profile_rules.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/json.hpp"

namespace kbench {
namespace {

// "{conflict_share:%}" in a sentence is that share in percent.
constexpr std::string_view kAsPercent = ":%";
constexpr const char* kNeedsCounters =
    "no rule holds, and what else may bound it (uncoalesced accesses, bank conflicts, divergence, "
    "stalls) shows in hardware counters, which are not read";
constexpr const char* kNoRule = "no rule holds";
constexpr const char* kNeedsActivities =
    "without activities of the device only the share of the limit is known";

Error bad_rule(const std::string& rule, const std::string& what) {
  return {ErrorCode::kBadInput, fmt::format("rule {}: {}", rule, what), ""};
}

// "0.3 call_us", "call_us", or a number.
void read_bound(const Json& bound, ProfileCondition& condition) {
  if (bound.is_number()) {
    condition.factor = bound.get<double>();
    return;
  }
  const auto text = bound.get<std::string>();
  const auto space = text.find(' ');
  condition.factor = space == text.npos ? 1 : std::stod(text.substr(0, space));
  condition.other = space == text.npos ? text : text.substr(space + 1);
}

ProfileRule read_rule(const Json& json) {
  ProfileRule rule{.verdict = json.at("verdict").get<std::string>(),
                   .title = json.at("title").get<std::string>(),
                   .near = json.value("near", false),
                   .evidence = json.at("evidence").get<std::string>(),
                   .wrong_if = json.at("wrong_if").get<std::string>(),
                   .suggestion = json.at("suggestion").get<std::string>(),
                   .saves = json.at("saves").get<std::string>()};
  if (const auto used = json.find("used"); used != json.end()) {
    rule.used = used->at(0).get<std::string>();
    rule.most_used = used->at(1).get<double>();
  }
  for (const Json& one : json.at("when")) {
    ProfileCondition condition{.fact = one.at(0).get<std::string>(),
                               .comparison = one.at(1).get<std::string>()};
    read_bound(one.at(2), condition);
    rule.when.push_back(std::move(condition));
  }
  return rule;
}

// How far a condition fails by at most that is close: a share of its bound.
constexpr double kClose = 0.2;
constexpr std::size_t kMostClose = 2;
// Digits that a number has at least beside its bound, and at most: all that a double has.
constexpr int kFewDigits = 4;
constexpr int kAllDigits = 17;

std::optional<double> number_of(const ProfileFacts& facts, const std::string& name) {
  const auto found = facts.numbers.find(name);
  return found == facts.numbers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> bound_of(const ProfileCondition& condition, const ProfileFacts& facts) {
  if (condition.other.empty()) return condition.factor;
  const auto other = number_of(facts, condition.other);
  return other ? std::optional(condition.factor * *other) : std::nullopt;
}

bool is_known(const ProfileCondition& condition, const ProfileFacts& facts) {
  return number_of(facts, condition.fact) && bound_of(condition, facts);
}

bool holds(const ProfileCondition& condition, const ProfileFacts& facts) {
  const auto value = number_of(facts, condition.fact);
  const auto bound = bound_of(condition, facts);
  if (!value || !bound) return false;
  if (condition.comparison == ">=") return *value >= *bound;
  if (condition.comparison == ">") return *value > *bound;
  if (condition.comparison == "<=") return *value <= *bound;
  if (condition.comparison == "<") return *value < *bound;
  return *value == *bound;
}

double saved_us(const ProfileRule& rule, const ProfileFacts& facts) {
  const double saves = number_of(facts, rule.saves).value_or(0);
  const auto used = number_of(facts, rule.used);
  const auto top = number_of(facts, "top_us");
  if (!used || !top || !(rule.most_used > 0)) return saves;
  return std::clamp(*top * (1 - *used / rule.most_used), 0.0, saves);
}

// A number with so many digits, and never fewer than its whole part has.
std::string with_digits(double number, int digits) {
  return std::abs(number) >= std::pow(10, digits) ? fmt::format("{:.0f}", number)
                                                  : fmt::format("{:.{}g}", number, digits);
}

// Both numbers, with as many digits as it takes to tell them apart.
std::pair<std::string, std::string> told_apart(double a, double b) {
  int digits = kFewDigits;
  while (a != b && digits < kAllDigits && with_digits(a, digits) == with_digits(b, digits))
    ++digits;
  return {with_digits(a, digits), with_digits(b, digits)};
}

std::string in_evidence(double number, bool percent) {
  if (percent) return fmt::format("{:.3g} %", 100 * number);
  return number >= 1000 ? fmt::format("{:.0f}", number) : fmt::format("{:.3g}", number);
}

// The fact of a rule that narrowly fails gets the digits that tell it from its bound.
std::string filled_in(const std::string& sentence, const ProfileFacts& facts,
                      const CloseRule* narrow = nullptr) {
  std::string text;
  std::size_t at = 0;
  while (at < sentence.size()) {
    const auto open = sentence.find('{', at);
    const auto close = open == sentence.npos ? open : sentence.find('}', open);
    if (close == sentence.npos) break;
    text += sentence.substr(at, open - at);
    std::string name = sentence.substr(open + 1, close - open - 1);
    const bool percent = name.ends_with(kAsPercent);
    if (percent) name.resize(name.size() - kAsPercent.size());
    const auto word = facts.words.find(name);
    if (narrow != nullptr && name == narrow->fact) {
      text += percent ? told_apart(100 * narrow->value, 100 * narrow->bound).first + " %"
                      : told_apart(narrow->value, narrow->bound).first;
    } else if (const auto number = number_of(facts, name)) {
      text += in_evidence(*number, percent);
    } else {
      text += word == facts.words.end() ? "?" : word->second.substr(0, 80);
    }
    at = close + 1;
  }
  return text + sentence.substr(at);
}

// The one condition that fails, where all facts are known; else null.
const ProfileCondition* only_failure(const ProfileRule& rule, const ProfileFacts& facts) {
  const ProfileCondition* failure = nullptr;
  for (const ProfileCondition& condition : rule.when) {
    if (!is_known(condition, facts)) return nullptr;
    if (holds(condition, facts)) continue;
    if (failure != nullptr) return nullptr;
    failure = &condition;
  }
  return failure;
}

CloseRule close_rule(const ProfileRule& rule, const ProfileCondition& failure,
                     const ProfileFacts& facts) {
  CloseRule close{.verdict = rule.verdict,
                  .title = rule.title,
                  .evidence = {},
                  .fact = failure.fact,
                  .value = number_of(facts, failure.fact).value_or(0),
                  .comparison = failure.comparison,
                  .bound = bound_of(failure, facts).value_or(0),
                  .asks = {}};
  close.evidence = filled_in(rule.evidence, facts, &close);
  const auto [value, bound] = told_apart(close.value, close.bound);
  const std::string made_of =
      failure.other.empty() ? "" : fmt::format(" ({:.3g} {})", failure.factor, failure.other);
  close.asks = fmt::format("its rule asks {} {} {}{}; here it is {}", close.fact, close.comparison,
                           bound, made_of, value);
  return close;
}

double distance_of(const CloseRule& close) {
  return std::abs(close.value - close.bound) / std::abs(close.bound);
}

}  // namespace

Result<std::vector<ProfileRule>> parse_profile_rules(std::string_view json) {
  const std::set<std::string> comparisons{">=", ">", "<=", "<", "=="};
  std::vector<ProfileRule> rules;
  std::set<std::string> verdicts;
  try {
    const Json list = Json::parse(json);
    for (const Json& one : list.at("rules")) {
      ProfileRule rule = read_rule(one);
      if (rule.when.empty()) return bad_rule(rule.verdict, "it has no condition");
      for (const ProfileCondition& condition : rule.when)
        if (!comparisons.contains(condition.comparison))
          return bad_rule(rule.verdict, "nothing is compared by " + condition.comparison);
      if (!verdicts.insert(rule.verdict).second) return bad_rule(rule.verdict, "there are two");
      rules.push_back(std::move(rule));
    }
  } catch (const std::exception& problem) {
    return bad_rule(std::to_string(rules.size()), problem.what());
  }
  return rules;
}

const std::vector<ProfileRule>& profile_rules() {
  static const std::vector<ProfileRule> kRules = [] {
    auto rules = parse_profile_rules(kProfileRuleList);
    return rules ? std::move(*rules) : std::vector<ProfileRule>{};
  }();
  return kRules;
}

const ProfileRule* find_profile_rule(std::string_view verdict) {
  const auto& rules = profile_rules();
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const ProfileRule& rule) { return rule.verdict == verdict; });
  return found == rules.end() ? nullptr : &*found;
}

ProfileFinding finding_of(const ProfileRule& rule, const ProfileFacts& facts) {
  return {.verdict = rule.verdict,
          .title = rule.title,
          .evidence = filled_in(rule.evidence, facts),
          .wrong_if = filled_in(rule.wrong_if, facts),
          .suggestion = filled_in(rule.suggestion, facts),
          .saves_us = saved_us(rule, facts)};
}

const char* why_not_judged(const ProfileFacts& facts, bool has_kernels) {
  if (!has_kernels) return kNeedsActivities;
  return number_of(facts, "dram_bytes") ? kNoRule : kNeedsCounters;
}

std::vector<ProfileFinding> find_verdicts(const std::vector<ProfileRule>& rules,
                                          const ProfileFacts& facts) {
  std::vector<std::pair<bool, ProfileFinding>> found;
  for (const ProfileRule& rule : rules) {
    const bool all = std::all_of(rule.when.begin(), rule.when.end(),
                                 [&](const auto& condition) { return holds(condition, facts); });
    if (!all) continue;
    found.emplace_back(rule.near, finding_of(rule, facts));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first;
    return a.second.saves_us > b.second.saves_us;
  });
  std::vector<ProfileFinding> findings;
  for (auto& [near, finding] : found) findings.push_back(std::move(finding));
  return findings;
}

std::vector<CloseRule> closest_rules(const std::vector<ProfileRule>& rules,
                                     const ProfileFacts& facts) {
  std::vector<CloseRule> closest;
  for (const ProfileRule& rule : rules) {
    const ProfileCondition* failure = only_failure(rule, facts);
    if (failure == nullptr) continue;
    CloseRule close = close_rule(rule, *failure, facts);
    if (distance_of(close) <= kClose) closest.push_back(std::move(close));
  }
  std::stable_sort(closest.begin(), closest.end(), [](const CloseRule& a, const CloseRule& b) {
    return distance_of(a) < distance_of(b);
  });
  if (closest.size() > kMostClose) closest.resize(kMostClose);
  return closest;
}

std::vector<std::string> counter_lines(const ProfileFacts& facts) {
  std::vector<std::string> shares;
  for (const auto& [name, what] : std::initializer_list<std::pair<const char*, const char*>>{
           {"issue_percent", "cycles that issue"},
           {"l1_percent", "shared memory and L1"},
           {"memory_percent", "busiest memory path"},
           {"occupancy_percent", "occupancy"},
           {"l2_hit_percent", "L2 hits"},
           {"sector_use_percent", "sectors used"}})
    if (const auto value = number_of(facts, name))
      shares.push_back(fmt::format("{} {:.3g} %", what, *value));
  std::vector<std::string> lines;
  if (!shares.empty()) lines.push_back(fmt::format("{}", fmt::join(shares, ", ")));
  const auto ratio = number_of(facts, "dram_ratio");
  const auto moving = number_of(facts, "dram_us");
  const auto call = number_of(facts, "call_us");
  if (ratio && moving && call && *call > 0)
    lines.push_back(
        fmt::format("the device's memory moves {:.3g} times the bytes that have to "
                    "move: at full bandwidth {:.3g} % of the call",
                    *ratio, 100 * *moving / *call));
  return lines;
}

}  // namespace kbench
