#include "runner/lint/lint_oracle.hpp"

#include "runner/device/oracle_options.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {

std::string lint_precision(const std::string& precision) {
  return working_type(precision) == DType::kFloat32 ? "fp32" : precision;
}

Result<std::unique_ptr<OracleProcess>> start_lint_oracle(Sandbox& sandbox,
                                                         const Installation& installation,
                                                         const Target& target,
                                                         const std::string& precision) {
  auto oracle = OracleProcess::start(
      oracle_options(sandbox, installation, target, lint_precision(precision)));
  if (!oracle) return oracle.error();
  if (auto hello = (*oracle)->hello(); !hello) return hello.error();
  return oracle;
}

}  // namespace kbench
