// Requests about an agent's kernels: do they compile, are they right, what are they worth. Asked by
// `kbench workspace` of a folder, and by `kbench serve` of what came over the wire; in both cases
// it is the judge's own copy that is looked at.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "reports/model.hpp"
#include "runner/cli/options.hpp"
#include "runner/cli/run_end.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/device/device_session.hpp"
#include "runner/installation/installation.hpp"
#include "runner/prompt/make_prompt.hpp"
#include "runner/submission/submission.hpp"
#include "runner/workspace/workspace.hpp"

namespace kbench {

// The texts of a new workspace. Errors: those of reading what is installed.
[[nodiscard]] Result<WorkspaceTexts> workspace_texts(const TaskPrompt& prompt,
                                                     const Installation& installation);

struct KernelRequest {
  const StagedKernels& kernels;
  const WorkspaceTask& task;
  const CommonOptions& common;
  DeviceSession& device;
};

// The one submission in the copy. Errors: kSubmission, whatever is wrong with it; one for another
// device as well, since nothing could be said of it here.
[[nodiscard]] Result<Submission> submission_in(const KernelRequest& request);

struct CompileAnswer {
  Json result;  // of workspace/tool_result.hpp
  State state = State::kInfrastructureError;
};
[[nodiscard]] CompileAnswer compile_kernels(const KernelRequest& request);

struct KernelRun {
  RunEnd end;
  ReportData data;  // without evaluations where nothing was judged
};
// A run of these kernels alone on the request's device session, as `kbench run` makes it. Without a
// database nothing is timed and nothing is kept. Errors: kSubmission, kernels for another device;
// those of a run.
struct KernelRunOptions {
  std::optional<std::filesystem::path> database;
  std::string command_line;  // for the store
  std::function<bool()> stop = {};
  bool quick = false;  // this and the next: as RunRequest has them
  std::string allow_torch = "data";
};
[[nodiscard]] Result<KernelRun> run_kernels(const KernelRequest& request,
                                            const KernelRunOptions& options);

}  // namespace kbench
