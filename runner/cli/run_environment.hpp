// The environment of a run, as JSON for the store: device, host, versions, sandbox. Facts only;
// nothing in it is used for a decision except configuration(), which --resume must find unchanged.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/cli/run_plan.hpp"
#include "runner/core/json.hpp"
#include "runner/measure/oracle.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/submission/compiler.hpp"

namespace kbench {

[[nodiscard]] Json describe_environment(const Plan& plan, const OracleHello& oracle,
                                        const Toolchain& toolchain, const SandboxLevel& sandbox,
                                        const std::optional<Calibration>& calibration);

// The choices that decide which rows a run has and how they are measured.
[[nodiscard]] Json describe_configuration(const RunOptions& options, const Plan& plan,
                                          const OracleHello& oracle);

// UTC now, RFC 3339 with seconds.
[[nodiscard]] std::string utc_now();

}  // namespace kbench
