// The supervisor's view of an oracle that plays wrong submissions, for `kbench tasks lint`. Beside
// the Oracle interface, because evaluations never need it. Meaning of each call:
// oracle/mutation_protocol.hpp.
#pragma once

#include <vector>

#include "runner/core/result.hpp"
#include "runner/oracle/mutation_protocol.hpp"

namespace kbench {

class MutationSource {
 public:
  virtual ~MutationSource() = default;
  virtual Status remember() = 0;
  virtual Result<std::vector<BypassableNode>> bypassable() = 0;
  virtual Result<MutationReply> mutate(const MutationRequest& request) = 0;
};

}  // namespace kbench
