#include "runner/task/operator_table.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/suggest.hpp"
#include "runner/task/operator_list.hpp"

namespace kbench {
namespace {

constexpr std::string_view kNamespace = "aten::";

struct KindFacts {
  std::string_view word;  // word in suites/operators.txt
  ArgKind kind;
  std::string_view allowed;  // words for people
};

constexpr std::array<KindFacts, 25> kKinds = {{
    {"T", ArgKind::kTensor, "a tensor"},
    {"T!", ArgKind::kWritten, "a tensor that this graph made"},
    {"N", ArgKind::kTensorOrNumber, R"(a tensor or {"scalar": number})"},
    {"T[]", ArgKind::kTensors, "a list of at most 8192 tensors"},
    {"T?[]", ArgKind::kTensorsOrNulls, "a list of at most 8192 tensors and nulls"},
    {"int", ArgKind::kInt, "an integer between -2^40 and 2^40"},
    {"index", ArgKind::kIndex, "an integer"},
    {"int[]", ArgKind::kInts, "a list of at most 8192 integers between -2^40 and 2^40"},
    {"shape", ArgKind::kShape, "a list of at most 12 extents, 2^40 elements in all"},
    {"count", ArgKind::kCount, "an extent of at most 2^40"},
    {"range", ArgKind::kRange, "a number between -2^40 and 2^40"},
    {"float", ArgKind::kFloat, "a number"},
    {"float[]", ArgKind::kFloats, "a list of at most 8192 numbers"},
    {"bool", ArgKind::kBool, "true or false"},
    {"num", ArgKind::kNumber, "a number, true or false"},
    {"dtype", ArgKind::kDType,
     R"({"dtype": …} with real, float64, float32, float16, bfloat16, complex128, complex64, int64, )"
     "int32, int16, int8, uint8 or bool"},
    {"device", ArgKind::kDevice, R"({"device": true})"},
    {"layout", ArgKind::kLayout, R"({"layout": "strided"})"},
    {"memory", ArgKind::kMemoryFormat,
     R"({"memory_format": …} with contiguous, preserve, channels_last or channels_last_3d)"},
    {"off", ArgKind::kOff, "false or null"},
    {"null", ArgKind::kNull, "null"},
    {"zero", ArgKind::kZero, "0.0"},
    {"equation", ArgKind::kEquation,
     R"(letters, commas, "..." and one "->", with a term for each tensor)"},
    {"stat", ArgKind::kStatistics, "a tensor or null"},
    {"training", ArgKind::kTraining,
     "true or false, and false where there are running statistics, which training would write"},
}};

// Thrown inside this file only.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

ArgRule words_rule(std::string_view text) {
  ArgRule rule{ArgKind::kWord};
  for (const std::string_view word : split(text, '|')) {
    if (word.size() < 3 || word.front() != '"' || word.back() != '"')
      throw Unreadable(fmt::format("{} is no string", word));
    rule.words.emplace_back(word.substr(1, word.size() - 2));
  }
  return rule;
}

ArgRule arg_rule(std::string_view text) {
  const bool optional = text.ends_with('?');
  if (optional) text.remove_suffix(1);
  ArgRule rule;
  if (text.starts_with('"')) {
    rule = words_rule(text);
  } else {
    const auto facts = std::find_if(kKinds.begin(), kKinds.end(),
                                    [&](const KindFacts& known) { return known.word == text; });
    if (facts == kKinds.end()) throw Unreadable(fmt::format("{} means nothing", text));
    rule.kind = facts->kind;
  }
  rule.optional = optional;
  return rule;
}

ResultRule result_rule(std::string_view text) {
  if (text == "T") return {ResultRule::Memory::kOwn, false};
  if (text == "T[]") return {ResultRule::Memory::kOwn, true};
  if (text == "&T") return {ResultRule::Memory::kShared, false};
  if (text == "&T[]") return {ResultRule::Memory::kShared, true};
  if (text == "T!") return {ResultRule::Memory::kWritten, false};
  throw Unreadable(fmt::format("no result is {}", text));
}

std::pair<std::string, OperatorRule> parse_line(std::string_view line) {
  auto words = split(line, ' ');
  const auto arrow = std::find(words.begin(), words.end(), "->");
  if (arrow == words.end() || arrow == words.begin()) throw Unreadable("no name, or no ->");
  OperatorRule rule;
  for (auto word = words.begin() + 1; word != arrow; ++word) rule.args.push_back(arg_rule(*word));
  for (auto word = arrow + 1; word != words.end(); ++word)
    rule.results.push_back(result_rule(*word));
  if (rule.results.empty()) throw Unreadable("no result");
  return {std::string(kNamespace) + std::string(words.front()), std::move(rule)};
}

}  // namespace

Result<OperatorTable> OperatorTable::parse(std::string_view text) {
  OperatorTable table;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with('#')) continue;
    try {
      auto [name, rule] = parse_line(line);
      if (!table.rules_.emplace(std::move(name), std::move(rule)).second)
        throw Unreadable("it is listed twice");
    } catch (const Unreadable& error) {
      return Error{ErrorCode::kBadInput, fmt::format("{}: {}", line, error.what()),
                   "the words are at the top of suites/operators.txt"};
    }
  }
  return table;
}

const OperatorTable& OperatorTable::known() {
  // A list that cannot be read allows nothing; a unit test reads it.
  static const OperatorTable table = [] {
    auto parsed = parse(kOperatorList);
    return parsed ? std::move(*parsed) : OperatorTable();
  }();
  return table;
}

const OperatorRule* OperatorTable::find(const std::string& name) const {
  const auto found = rules_.find(name);
  return found == rules_.end() ? nullptr : &found->second;
}

std::optional<std::string> OperatorTable::nearest_to(const std::string& name) const {
  return nearest(name, names());
}

std::vector<std::string> OperatorTable::names() const {
  std::vector<std::string> names;
  for (const auto& [name, rule] : rules_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string describe(const ArgRule& rule) {
  std::string text;
  if (rule.kind == ArgKind::kWord) {
    text = fmt::format("\"{}\"", fmt::join(rule.words, "\" or \""));
  } else {
    for (const KindFacts& facts : kKinds)
      if (facts.kind == rule.kind) text = facts.allowed;
  }
  return rule.optional ? text + " or null" : text;
}

}  // namespace kbench
