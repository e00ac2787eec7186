// Requests of `kbench tasks lint` to the oracle: to play a submission that is wrong on purpose. The
// oracle writes the mutation's outputs where a worker would have written them, so that judging them
// is the same request, on the same bytes, as for a submission. Spoken over the same channel as
// oracle/protocol.hpp, after `reference` and `arm`. No LibTorch.
//
//   op            request          reply
//   remember      –                –             outputs of these inputs are "the previous" ones
//   bypassable    –                nodes: BypassableNode[]
//   mutate        MutationRequest    MutationReply
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/json.hpp"

namespace kbench {

enum class MutationKind {
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

[[nodiscard]] std::string_view to_string(MutationKind kind);

struct MutationRequest {
  MutationKind kind = MutationKind::kNone;
  int output = 0;          // the one that is wrong, for kinds that spoil a single output
  std::int64_t index = 0;  // meaning: see MutationKind
  bool exact = false;      // kOperator and kParameter: write nothing, compute the effect instead
};

struct MutationReply {
  bool applies = true;  // false: there is no such mutation of this task, nothing was written
  // Effect of an exact request, computed in float64: the change relative to the reference in the L2
  // norm, its maximum over all outputs; and whether the mutation changes nothing at all.
  double effect = 0;
  bool identical = false;
};

// A node whose result has the shape and dtype of one of its operands.
struct BypassableNode {
  int node = 0;
  std::string op;  // "aten::relu"
};

NLOHMANN_JSON_SERIALIZE_ENUM(MutationKind, {{MutationKind::kNone, "none"},
                                            {MutationKind::kStale, "stale"},
                                            {MutationKind::kZeros, "zeros"},
                                            {MutationKind::kConstant, "constant"},
                                            {MutationKind::kMean, "mean"},
                                            {MutationKind::kIdentity, "identity"},
                                            {MutationKind::kPrevious, "previous"},
                                            {MutationKind::kHalf, "half"},
                                            {MutationKind::kElement, "element"},
                                            {MutationKind::kOperator, "operator"},
                                            {MutationKind::kParameter, "parameter"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MutationRequest, kind, output, index, exact)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MutationReply, applies, effect, identical)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BypassableNode, node, op)

}  // namespace kbench
