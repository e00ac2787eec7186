#include "runner/oracle/mutation_protocol.hpp"

namespace kbench {

std::string_view to_string(MutationKind kind) {
  switch (kind) {
    case MutationKind::kNone: return "none";
    case MutationKind::kStale: return "stale";
    case MutationKind::kZeros: return "zeros";
    case MutationKind::kConstant: return "constant";
    case MutationKind::kMean: return "mean";
    case MutationKind::kIdentity: return "identity";
    case MutationKind::kPrevious: return "previous";
    case MutationKind::kHalf: return "half";
    case MutationKind::kElement: return "element";
    case MutationKind::kOperator: return "operator";
    case MutationKind::kParameter: return "parameter";
  }
  return "";
}

}  // namespace kbench
