#include "runner/plan/evaluation_key.hpp"

#include <string>

#include "runner/core/json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/installation/build_info.hpp"

namespace kbench {

std::string evaluation_key(const EvaluationIdentity& identity) {
  Json parts = {identity.task_hash,  identity.size,        identity.device,
                identity.precision,  identity.profile,     identity.agent,
                identity.submission, identity.source_hash, identity.host_compiler,
                identity.nvcc,       identity.device_name, std::string(build_info().version)};
  if (!identity.allow_torch.empty()) parts.push_back("allow_torch " + identity.allow_torch);
  if (!identity.timed) parts.push_back("checks only");
  if (identity.seed) parts.push_back("seed " + std::to_string(*identity.seed));
  return sha256(parts.dump());
}

}  // namespace kbench
