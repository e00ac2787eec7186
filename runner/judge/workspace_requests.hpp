// Requests about an agent's kernels: do they compile, are they right, what are they worth. For a
// folder and over the wire alike, the judge looks at its own copy.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reports/facts/model.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/device/device_session.hpp"
#include "runner/installation/installation.hpp"
#include "runner/prompt/make_prompt.hpp"
#include "runner/run/run_bench.hpp"
#include "runner/run/run_outcome.hpp"
#include "runner/run/run_sink.hpp"
#include "runner/run/run_terms.hpp"
#include "runner/store/rows/blob.hpp"
#include "runner/submission/submission.hpp"
#include "runner/trajectory/injection.hpp"
#include "runner/workspace/workspace.hpp"

namespace kbench {

// The folder of tasks, with levelN/; empty: the installation's.
using SuiteFolder = std::optional<std::filesystem::path>;

// The prompt of the one task of these levels (empty: of all) that the pattern names. Errors: those
// of find_task and make_task_prompt.
[[nodiscard]] Result<TaskPrompt> prompt_of_task(const SuiteFolder& suite,
                                                const std::vector<int>& levels,
                                                const std::string& pattern,
                                                const PromptRequest& request,
                                                const Installation& installation);

// The texts of a new workspace. Errors: those of reading what is installed.
[[nodiscard]] Result<WorkspaceTexts> workspace_texts(const TaskPrompt& prompt,
                                                     const Installation& installation);

// The template of what is put into a state (data/attribution/injection.json). Errors: those of
// reading what is installed.
[[nodiscard]] Result<InjectionTemplate> shipped_injection(const Installation& installation);

// All that judges kernels; it outlives each request.
struct JudgingPlace {
  SuiteFolder suite;
  DeviceSession& device;  // compiles
  BenchSource& benches;   // measure
};

struct KernelRequest {
  const StagedKernels& kernels;
  const WorkspaceTask& task;
  const JudgingPlace& place;
};

// The one submission in the copy. Errors: kSubmission for any fault of it; for one of another
// device as well, since nothing could be said of it here.
[[nodiscard]] Result<Submission> submission_in(const KernelRequest& request);

struct CompileAnswer {
  Json result;  // a result of workspace/tool_result.hpp
  State state = State::kInfrastructureError;
};
[[nodiscard]] CompileAnswer compile_kernels(const KernelRequest& request);

struct KernelRunOptions {
  bool timed = false;  // the full protocol; else checks only
  // Keeps the run, which then has a report; else the run is nowhere once it is over.
  std::optional<std::filesystem::path> database;
  std::string command_line;  // command line that the store keeps
  std::function<bool()> stop = {};
  bool quick = false;  // this and the next: as RunRequest has them
  std::string allow_torch = "data";
  // Receives the device wait, as in RunTerms.
  std::function<void(const std::optional<DeviceWait>&)> waits = {};
};

struct KernelRun {
  RunOutcome outcome;
  RunTerms terms;
  std::optional<Evaluation> row;  // the measured row; none where nothing was judged
  std::vector<Blob> sources;      // sources of the row
  std::optional<ReportData> report;

  [[nodiscard]] std::string summary() const { return summarize(outcome, terms); }
};
// A run of these kernels alone, as `kbench run` makes it; `sink` is told how it goes. Errors:
// kSubmission, kernels for another device; those of a run.
[[nodiscard]] Result<KernelRun> run_kernels(const KernelRequest& request,
                                            const KernelRunOptions& options, RunSink& sink);

}  // namespace kbench
