// The folder in which an agent solves one task:
//
//   TASK.md         what is to be computed, how it is judged: `kbench tasks prompt`
//   SKILL.md        how to go about it
//   reference.py    the module
//   task.h kbench.h what a kernel includes
//   workspace.json  {schema, task, size, device}, for readers
//   kernels/        the agent's own: all that counts
//
// No judge lies in it, and nothing in it is believed: which task it is of stands in the state
// folder (workspace_record.hpp), and kernels/ is read by copying it (kernel_tree.hpp).
#pragma once

#include <filesystem>
#include <string>

#include "runner/core/result.hpp"
#include "runner/os/files.hpp"
#include "runner/workspace/kernel_tree.hpp"
#include "runner/workspace/workspace_record.hpp"

namespace kbench {

struct WorkspaceTexts {
  std::string task_md;
  std::string skill_md;
  std::string reference;
  std::string task_header;
  std::string abi;
};

// Makes the folder, which is new or empty. Errors: kUsage.
[[nodiscard]] Status make_workspace(const std::filesystem::path& folder, const WorkspaceTask& task,
                                    const WorkspaceTexts& texts);

// Reads workspace.json where the agent cannot write to it. Errors: kUsage, where it is missing or
// damaged.
[[nodiscard]] Result<WorkspaceTask> read_workspace(const std::filesystem::path& folder);
// The task that the folder was opened for. Errors: kUsage, if there is none, or workspace.json says
// another thing.
[[nodiscard]] Result<WorkspaceTask> read_workspace(const std::filesystem::path& folder,
                                                   const WorkspaceRecords& records);

// The copy of a workspace's kernels as a submissions folder of one submission.
struct StagedKernels {
  ScratchFolder folder;  // has AGENT/levelN/NNN_name/
  std::string tree;      // hash
};
// Errors: those of copy_kernels; kUsage for an agent's name that is none.
[[nodiscard]] Result<StagedKernels> stage_kernels(const std::filesystem::path& folder,
                                                  const WorkspaceTask& task,
                                                  const std::string& agent);

// Stages a tree that lies in no workspace.
[[nodiscard]] Result<StagedKernels> stage_tree(const KernelTree& tree, const WorkspaceTask& task,
                                               const std::string& agent);

// Writes a tree below `folder` as a submission: AGENT/levelN/NNN_name, with @variant behind it
// where there is one. Errors: kInfrastructure.
[[nodiscard]] Status add_submission(const std::filesystem::path& folder, const KernelTree& tree,
                                    const std::string& task, const std::string& agent,
                                    const std::string& variant);

}  // namespace kbench
