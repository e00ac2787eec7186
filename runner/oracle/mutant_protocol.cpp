#include "runner/oracle/mutant_protocol.hpp"

namespace kbench {

std::string_view to_string(MutantKind kind) {
  switch (kind) {
    case MutantKind::kNone: return "none";
    case MutantKind::kStale: return "stale";
    case MutantKind::kZeros: return "zeros";
    case MutantKind::kConstant: return "constant";
    case MutantKind::kMean: return "mean";
    case MutantKind::kIdentity: return "identity";
    case MutantKind::kPrevious: return "previous";
    case MutantKind::kHalf: return "half";
    case MutantKind::kElement: return "element";
    case MutantKind::kOperator: return "operator";
    case MutantKind::kParameter: return "parameter";
  }
  return "";
}

}  // namespace kbench
