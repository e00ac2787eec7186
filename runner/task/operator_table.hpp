// The operators that a task's graph may hold, by suites/operators.txt, which is compiled in and
// describes its own words. Invariants: what the list does not name is not allowed; a rule has one
// entry for each argument and each result of the operator's schema in PyTorch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

enum class ArgKind {
  kTensor,
  kWritten,
  kTensorOrNumber,
  kTensors,
  kTensorsOrNulls,
  kInt,
  kIndex,
  kInts,
  kShape,
  kCount,
  kRange,
  kFloat,
  kFloats,
  kBool,
  kNumber,
  kDType,
  kDevice,
  kLayout,
  kMemoryFormat,
  kOff,
  kNull,
  kZero,
  kWord,
  kEquation,
  kStatistics,
  kTraining
};

struct ArgRule {
  ArgKind kind = ArgKind::kNull;
  bool optional = false;
  std::vector<std::string> words = {};  // words of a kWord
};

struct ResultRule {
  enum class Memory { kOwn, kShared, kWritten };
  Memory memory = Memory::kOwn;
  bool list = false;  // a list of any number of tensors
};

struct OperatorRule {
  std::vector<ArgRule> args;
  std::vector<ResultRule> results;
};

class OperatorTable {
 public:
  // Errors: kBadInput, naming the line.
  [[nodiscard]] static Result<OperatorTable> parse(std::string_view text);
  // The table of suites/operators.txt.
  [[nodiscard]] static const OperatorTable& known();

  // `name` as GraphNode::full_name() gives it, "aten::add_.Tensor"; nullptr for one that is not
  // allowed.
  [[nodiscard]] const OperatorRule* find(const std::string& name) const;
  // The known name that this one may be a misspelling of.
  [[nodiscard]] std::optional<std::string> nearest_to(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::size_t size() const { return rules_.size(); }

 private:
  std::unordered_map<std::string, OperatorRule> rules_;
};

// The values that an argument may have, for people: "a tensor", "\"none\" or \"tanh\"".
[[nodiscard]] std::string describe(const ArgRule& rule);

}  // namespace kbench
