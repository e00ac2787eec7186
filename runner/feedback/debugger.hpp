// The component "debugger": runs a kernel under sanitizers and names its faults. On a CPU these are
// the compiler's address and undefined-behaviour sanitizers, on CUDA compute-sanitizer's memcheck,
// racecheck, initcheck and synccheck. It judges nothing: a kernel in which nothing is found may be
// wrong.
#pragma once

#include <chrono>

#include "runner/core/result.hpp"
#include "runner/feedback/command_report.hpp"
#include "runner/feedback/probe_build.hpp"

namespace kbench {

// Time for compiling and all tools together.
inline constexpr std::chrono::seconds kDebuggerPatience{60};

// A kernel that hangs, dies, forks or prints without end costs its report only.
// Errors: kInfrastructure, the sandbox, or a file of ours.
[[nodiscard]] Result<CommandReport> debugger_report(
    const ProbePlace& place, const ProbedKernel& kernel,
    std::chrono::milliseconds patience = kDebuggerPatience);

}  // namespace kbench
