#include "runner/lint/lint_oracle.hpp"

#include "runner/device/oracle_options.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {

Result<std::unique_ptr<OracleProcess>> start_lint_oracle(Sandbox& sandbox,
                                                         const Installation& installation,
                                                         const Target& target,
                                                         const std::string& precision) {
  const bool in_half = working_type(precision) != DType::kFloat32;
  auto oracle = OracleProcess::start(
      oracle_options(sandbox, installation, target, in_half ? precision : "fp32"));
  if (!oracle) return oracle.error();
  if (auto hello = (*oracle)->hello(); !hello) return hello.error();
  return oracle;
}

}  // namespace kbench
