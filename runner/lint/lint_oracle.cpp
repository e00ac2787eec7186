#include "runner/lint/lint_oracle.hpp"

#include "runner/device/oracle_options.hpp"

namespace kbench {

Result<std::unique_ptr<OracleProcess>> start_lint_oracle(Sandbox& sandbox,
                                                         const Installation& installation,
                                                         const Target& target) {
  auto oracle = OracleProcess::start(oracle_options(sandbox, installation, target, kLintPrecision));
  if (!oracle) return oracle.error();
  if (auto hello = (*oracle)->hello(); !hello) return hello.error();
  return oracle;
}

}  // namespace kbench
