// Components of feedback that look at a kernel itself, on the device that judges: the kernel is
// staged as for the judge, and what runs has a turn of the device, so that nothing that is timed
// runs beside it.
#pragma once

#include "runner/core/result.hpp"
#include "runner/feedback/command_report.hpp"
#include "runner/feedback/component.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/workspace/kernel_tree.hpp"

namespace kbench {

// `component` reads kernels. A kernel that is no submission is told so in the report. Errors:
// kInfrastructure; those of find_task and of the measuring lock.
[[nodiscard]] Result<CommandReport> kernel_words(const Component& component, const KernelTree& tree,
                                                 const WorkspaceTask& task,
                                                 const JudgingPlace& place);

}  // namespace kbench
