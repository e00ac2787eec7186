// The oracle that tasks are linted with.
#pragma once

#include <memory>
#include <string>

#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/measure/oracle/oracle_process.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// Starts an oracle in the class `precision` if that is one of 16 bits, else in fp32: TF32's own
// errors would let a rounded output pass on CUDA, and hide how exact eager is. Returns once it has
// answered. Errors: those of starting it.
[[nodiscard]] Result<std::unique_ptr<OracleProcess>> start_lint_oracle(
    Sandbox& sandbox, const Installation& installation, const Target& target,
    const std::string& precision);

}  // namespace kbench
