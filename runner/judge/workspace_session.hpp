// One request in a workspace, from the folder to the line of JSON that answers it: compile, verify,
// profile or submit the kernels that lie there. Prints nothing, and knows no exit code.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "reports/facts/trust.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/reward/reward.hpp"

namespace kbench {

enum class WorkspaceAsk { kCompile, kVerify, kDebug, kAnalyze, kProfile, kSubmit };
[[nodiscard]] std::string_view to_string(WorkspaceAsk ask);  // "compile"

struct WorkspaceJudging {
  WorkspaceAsk ask = WorkspaceAsk::kCompile;
  std::filesystem::path folder;
  std::string agent;                 // agent of a submission; empty: called like the folder
  std::optional<RewardRule> reward;  // reward of a submission
  Trust trust;
  std::filesystem::path database = "kbench.sqlite";  // database of submissions
};

struct WorkspaceAnswer {
  std::string line;  // kMostResultBytes at most; there is one of every request
  // Exactly one of these three: the state of the kernels; a mistake of the caller, in the folder or
  // on the command line; a run that judged nothing.
  std::optional<State> state;
  std::optional<Error> error;
  std::optional<KernelRun> unjudged;
};

// `sink` is told how the run goes, if there is one.
[[nodiscard]] WorkspaceAnswer answer_in_workspace(const WorkspaceJudging& judging,
                                                  const JudgingPlace& place, RunSink& sink);

// Makes the folder of the task of a prompt, and the record that it is a workspace. Errors: those of
// workspace_texts, make_workspace and WorkspaceRecords::keep.
Status make_workspace_for(const std::filesystem::path& folder, const TaskPrompt& prompt,
                          const Installation& installation);

}  // namespace kbench
