// Facts of the machine that a run is measured on, as JSON for the store: device, host, versions,
// sandbox, calibration and how many checks of the clock failed during that. Nothing in it is used
// for a decision.
#pragma once

#include <optional>

#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/submission/compiler.hpp"

namespace kbench {

[[nodiscard]] Json describe_machine(const std::optional<GpuInfo>& gpu, const OracleHello& oracle,
                                    const Toolchain& toolchain, const SandboxLevel& sandbox,
                                    const std::optional<Calibration>& calibration,
                                    int failed_checks);

}  // namespace kbench
