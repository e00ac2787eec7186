// Components of feedback that look at a kernel itself, on the device that judges: the kernel is
// staged as for the judge, and what runs has a turn of the device, so that nothing that is timed
// runs beside it.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/device/device_session.hpp"
#include "runner/device/measuring_lock.hpp"
#include "runner/feedback/command_report.hpp"
#include "runner/feedback/component.hpp"
#include "runner/feedback/probe_build.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/machine/target.hpp"
#include "runner/workspace/kernel_tree.hpp"

namespace kbench {

// A hint where a tool of this machine is missing.
inline constexpr const char* kDoctorSays = "`kbench doctor` says what is there";

// The report of the component "debugger" on one kernel, in a turn of the device. `how`: whether it
// waits, and who is told. Errors: those of the measuring lock and of debugger_report.
[[nodiscard]] Result<CommandReport> debugger_in_turn(const ProbedKernel& kernel,
                                                     const Target& target, DeviceSession& device,
                                                     LockRequest how);

// `component` reads kernels. A kernel that is no submission is told so in the report. Errors:
// kInfrastructure; those of find_task and of the measuring lock.
[[nodiscard]] Result<CommandReport> kernel_words(const Component& component, const KernelTree& tree,
                                                 const WorkspaceTask& task,
                                                 const JudgingPlace& place);

// The component that an agent's tool is: "debugger" of debug, "analyzer" of analyze; else empty.
[[nodiscard]] std::string_view component_of_tool(std::string_view tool);

struct SpokenKernels {
  // {state, message, hint, report}: `report` is {status, text} as the component gave it, also where
  // the kernel hangs or dies, and then state is ok; it is null where nothing was looked at, and
  // state and message say by whose fault.
  Json result;
  State state = State::kInfrastructureError;
};
// The words for an agent that asks for them. `waits` as RunTerms has it.
[[nodiscard]] SpokenKernels spoken_kernels(
    std::string_view component, const KernelRequest& request,
    const std::function<void(const std::optional<DeviceWait>&)>& waits = {});

}  // namespace kbench
