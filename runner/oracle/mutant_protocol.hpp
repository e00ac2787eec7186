// What `kbench tasks lint` asks of the oracle: to play a submission that is wrong on purpose. The
// oracle writes the mutant's outputs where a worker would have written them, so that judging them
// is the same request, on the same bytes, as for a submission. Spoken over the same channel as
// oracle/protocol.hpp, after `reference` and `arm`. No LibTorch.
//
//   op            request          reply
//   remember      –                –             outputs of these inputs are "the previous" ones
//   bypassable    –                nodes: BypassableNode[]
//   mutate        MutantRequest    MutantReply
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/json.hpp"

namespace kbench {

enum class MutantKind {
  kNone,       // eager's own output: the control, which must pass
  kStale,      // nothing is written
  kZeros,      // all zero
  kConstant,   // all one
  kMean,       // the reference's mean everywhere
  kIdentity,   // input `index` itself, where shape and dtype allow
  kPrevious,   // the right output for the previous input
  kHalf,       // the right output, rounded to float16 and back
  kElement,    // the right output but for element `index`, modulo the number of elements
  kOperator,   // the graph without node `index`, whose operand stands in for its result
  kParameter,  // the graph with parameter `index` replaced by the mean of its distribution
};

[[nodiscard]] std::string_view to_string(MutantKind kind);

struct MutantRequest {
  MutantKind kind = MutantKind::kNone;
  int output = 0;          // the one that is wrong, for kinds that spoil a single output
  std::int64_t index = 0;  // meaning: see MutantKind
  bool exact = false;      // kOperator and kParameter: write nothing, compute the effect instead
};

struct MutantReply {
  bool applies = true;  // false: there is no such mutant of this task, nothing was written
  // Of an exact request, computed in float64: what the mutation changes, relative to the
  // reference in the L2 norm, at most over all outputs; and whether it changes nothing at all.
  double effect = 0;
  bool identical = false;
};

// A node whose result has the shape and dtype of one of its operands.
struct BypassableNode {
  int node = 0;
  std::string op;  // "aten::relu"
};

NLOHMANN_JSON_SERIALIZE_ENUM(MutantKind, {{MutantKind::kNone, "none"},
                                          {MutantKind::kStale, "stale"},
                                          {MutantKind::kZeros, "zeros"},
                                          {MutantKind::kConstant, "constant"},
                                          {MutantKind::kMean, "mean"},
                                          {MutantKind::kIdentity, "identity"},
                                          {MutantKind::kPrevious, "previous"},
                                          {MutantKind::kHalf, "half"},
                                          {MutantKind::kElement, "element"},
                                          {MutantKind::kOperator, "operator"},
                                          {MutantKind::kParameter, "parameter"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MutantRequest, kind, output, index, exact)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MutantReply, applies, effect, identical)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BypassableNode, node, op)

}  // namespace kbench
