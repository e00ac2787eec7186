// The tools of an agent within an episode: those of serve/tools.hpp, on the one workspace that the
// episode has, and `recall`. What a model writes is held against their table here; what takes a
// judge goes to one. Tests give it a judge of their own.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/trajectory/episode.hpp"
#include "runner/workspace/kernel_tree.hpp"
#include "runner/workspace/workspace.hpp"

namespace kbench {

// A judge's answer about kernels.
struct KernelVerdict {
  Json result;             // answer that the model reads
  std::string evaluation;  // key of the row that is stored now; empty: none is
  CallError error = CallError::kNone;
  bool interrupted = false;  // nothing was judged, because all episodes are to stop
};

class EpisodeJudge {
 public:
  virtual ~EpisodeJudge() = default;
  virtual KernelVerdict compile(const WorkspaceTask& task, const KernelTree& tree) = 0;
  virtual KernelVerdict verify(const WorkspaceTask& task, const KernelTree& tree) = 0;
  // A profile says what bounds the kernels; nothing is judged.
  virtual KernelVerdict profile(const WorkspaceTask& task, const KernelTree& tree) = 0;
  // The words of the component "debugger" or "analyzer" on the kernels; nothing is judged.
  virtual KernelVerdict report(std::string_view component, const WorkspaceTask& task,
                               const KernelTree& tree) = 0;
  // The full protocol; the row is stored under that variant, once.
  virtual KernelVerdict submit(const WorkspaceTask& task, const KernelTree& tree,
                               const std::string& variant) = 0;
  // Checks alone, for callers that need no time; the row is stored under that variant, once. A row
  // of the full protocol under it answers this as well, never the other way round.
  virtual KernelVerdict check(const WorkspaceTask& task, const KernelTree& tree,
                              const std::string& variant) {
    return submit(task, tree, variant);
  }
};

// Whether a call may run at all, and its arguments.
struct CheckedCall {
  CallError error = CallError::kNone;
  Json arguments;
  std::string why;  // reason of the error
};
[[nodiscard]] CheckedCall check_call(const std::string& tool, const std::string& arguments);

// The tools as they are offered to a model: OpenAI's functions.
[[nodiscard]] Json offered_tools();

class EpisodeTools {
 public:
  struct Setting {
    std::filesystem::path folder;  // folder of the workspace, which exists
    WorkspaceTask task;
    std::string handle;   // the model's name for the workspace
    int evaluations = 0;  // verify, profile, debug and submit; 0: as many as it likes
    // A text of this episode by its hash, for recall.
    std::function<std::optional<std::string>(const std::string& hash)> text;
  };
  EpisodeTools(Setting setting, EpisodeJudge& judge);

  struct Answer {
    std::string result;
    CallError error = CallError::kNone;
    std::string evaluation;
    bool interrupted = false;
  };
  // `variant` names a submission's row.
  [[nodiscard]] Answer use(const std::string& tool, const std::string& arguments,
                           const std::string& variant);

  // The component's words on the kernels as they lie there, as EpisodeJudge::report has it. It
  // takes nothing of the budget: the model did not call it.
  [[nodiscard]] KernelVerdict report(std::string_view component);

  // Repeats the effect of an answered call on the workspace and on the budget.
  void repeat(const ToolCall& call, const std::string& arguments);

  // Hash of the kernels as they lie there; empty where there are none that could be judged.
  [[nodiscard]] std::string tree() const;

 private:
  Answer judge(const std::string& tool, const std::string& variant);
  Result<Json> use_files(const std::string& tool, const Json& arguments);

  Setting setting_;
  EpisodeJudge& judge_;
  int used_ = 0;  // evaluations
};

}  // namespace kbench
