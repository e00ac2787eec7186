#include "runner/judge/workspace_session.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reports/formats/json_report.hpp"
#include "runner/judge/kernel_profile.hpp"
#include "runner/judge/kernel_words.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/workspace/tool_result.hpp"
#include "runner/workspace/workspace.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

class Asked {
 public:
  Asked(const WorkspaceJudging& judging, const JudgingPlace& place, RunSink& sink)
      : judging_(judging), place_(place), sink_(sink) {}

  WorkspaceAnswer answer() {
    auto workspace =
        read_workspace(judging_.folder, WorkspaceRecords(place_.device.installation().state));
    if (!workspace) return complain(workspace.error());
    workspace_ = std::move(*workspace);
    if (auto apart = check_database(); !apart) return complain(apart.error());
    auto staged = stage_kernels(judging_.folder, workspace_, agent());
    if (!staged) return complain(staged.error());
    staged_ = std::move(*staged);
    switch (judging_.ask) {
      case WorkspaceAsk::kCompile: return compile();
      case WorkspaceAsk::kDebug:
      case WorkspaceAsk::kAnalyze: return report();
      case WorkspaceAsk::kProfile: return profile();
      case WorkspaceAsk::kVerify:
      case WorkspaceAsk::kSubmit: return judge();
    }
    return judge();
  }

 private:
  [[nodiscard]] bool submits() const { return judging_.ask == WorkspaceAsk::kSubmit; }

  [[nodiscard]] std::string agent() const {
    if (!submits()) return "workspace";  // it is never read
    if (!judging_.agent.empty()) return judging_.agent;
    std::error_code failed;
    const fs::path folder = fs::weakly_canonical(judging_.folder, failed);
    return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  }

  // The database must not lie in the workspace: the agent could write to it.
  [[nodiscard]] Status check_database() const {
    if (!submits()) return Done{};
    std::error_code failed;
    const fs::path folder = fs::weakly_canonical(judging_.folder, failed);
    const fs::path database = fs::weakly_canonical(fs::absolute(judging_.database), failed);
    if (std::mismatch(folder.begin(), folder.end(), database.begin(), database.end()).first !=
        folder.end())
      return Done{};
    return Error{ErrorCode::kUsage,
                 fmt::format("the database {} lies in the workspace, where its agent writes",
                             clean_name(judging_.database.string(), 300)),
                 "name one elsewhere: --db FILE"};
  }

  [[nodiscard]] KernelRequest request() const { return {staged_, workspace_, place_}; }

  [[nodiscard]] WorkspaceAnswer compile() const {
    const CompileAnswer answer = compile_kernels(request());
    return {line_of(answer.result), answer.state, {}, {}};
  }

  // A failure costs this profile only, and is told as the state of the kernels.
  WorkspaceAnswer profile() {
    const ProfiledKernels profiled = profile_kernels(request(), sink_.progress());
    return {line_of(profiled.result), profiled.state, {}, {}};
  }

  // Faults of the kernels are in the report; a missing tool is told as the state.
  [[nodiscard]] WorkspaceAnswer report() const {
    const SpokenKernels spoken =
        spoken_kernels(component_of_tool(to_string(judging_.ask)), request());
    return {line_of(spoken.result), spoken.state, {}, {}};
  }

  // Verify and submit: a run of one row.
  WorkspaceAnswer judge() {
    KernelRunOptions run;
    run.timed = submits();
    if (run.timed) run.database = judging_.database;
    run.command_line = fmt::format("kbench workspace {} {}", to_string(judging_.ask),
                                   clean_name(judging_.folder.string(), 300));
    auto judged = run_kernels(request(), run, sink_);
    if (!judged) return complain(judged.error());
    if (!judged->row) {
      const Error nothing{ErrorCode::kInfrastructure, "nothing was judged",
                          "the messages of the judge say why"};
      return {line_of(error_result(nothing)), {}, {}, std::move(*judged)};
    }
    const Json result = judged->report ? submitted(*judged->report) : verify_result(*judged->row);
    return {line_of(result), judged->row->state, {}, {}};
  }

  [[nodiscard]] Json submitted(ReportData data) const {
    data.trust = judging_.trust;
    return {{"run_id", data.run.id},
            {"row", result_json(derive(data, data.evaluations.front()), judging_.reward)}};
  }

  [[nodiscard]] std::string line_of(const Json& result) const {
    Json whole = {{"request", to_string(judging_.ask)},
                  {"task", workspace_.task},
                  {"size", workspace_.size},
                  {"device", workspace_.device},
                  {"tree", staged_.tree.empty() ? Json() : Json(staged_.tree)}};
    whole.update(result);
    return fit(std::move(whole));
  }

  [[nodiscard]] WorkspaceAnswer complain(const Error& error) const {
    return {line_of(error_result(error)), {}, error, {}};
  }

  const WorkspaceJudging& judging_;
  const JudgingPlace& place_;
  RunSink& sink_;
  WorkspaceTask workspace_;
  StagedKernels staged_;
};

}  // namespace

std::string_view to_string(WorkspaceAsk ask) {
  switch (ask) {
    case WorkspaceAsk::kCompile: return "compile";
    case WorkspaceAsk::kVerify: return "verify";
    case WorkspaceAsk::kDebug: return "debug";
    case WorkspaceAsk::kAnalyze: return "analyze";
    case WorkspaceAsk::kProfile: return "profile";
    case WorkspaceAsk::kSubmit: return "submit";
  }
  return "compile";
}

WorkspaceAnswer answer_in_workspace(const WorkspaceJudging& judging, const JudgingPlace& place,
                                    RunSink& sink) {
  return Asked(judging, place, sink).answer();
}

Status make_workspace_for(const std::filesystem::path& folder, const TaskPrompt& prompt,
                          const Installation& installation) {
  const auto texts = workspace_texts(prompt, installation);
  if (!texts) return texts.error();
  const WorkspaceTask task{prompt.task.id, prompt.size, prompt.device, prompt.precision};
  if (auto made = make_workspace(folder, task, *texts); !made) return made.error();
  return WorkspaceRecords(installation.state).keep(folder, task);
}

}  // namespace kbench
