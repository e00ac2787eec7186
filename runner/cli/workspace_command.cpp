#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reports/json_report.hpp"
#include "reports/model.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/run_end.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/json.hpp"
#include "runner/device/device_session.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/reward/reward.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/workspace/tool_result.hpp"
#include "runner/workspace/workspace.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using What = WorkspaceRequest::What;

std::string_view name_of(What what) {
  switch (what) {
    case What::kOpen: return "open";
    case What::kCompile: return "compile";
    case What::kVerify: return "verify";
    case What::kSubmit: return "submit";
  }
  return "open";
}

// One request in one workspace.
class Asked {
 public:
  Asked(const WorkspaceRequest& request, const Installation& installation)
      : what_(request.what), options_(request.options), installation_(installation) {}

  int answer() {
    auto workspace = read_workspace(options_.folder, WorkspaceRecords(installation_.state));
    if (!workspace) return complain(workspace.error());
    workspace_ = std::move(*workspace);
    if (auto apart = check_database(); !apart) return complain(apart.error());
    auto staged = stage_kernels(options_.folder, workspace_, agent());
    if (!staged) return complain(staged.error());
    staged_ = std::move(*staged);
    return what_ == What::kCompile ? compile() : judge();
  }

 private:
  [[nodiscard]] std::string agent() const {
    if (what_ != What::kSubmit) return "workspace";  // nobody reads it
    if (!options_.agent.empty()) return options_.agent;
    std::error_code failed;
    const fs::path folder = fs::weakly_canonical(options_.folder, failed);
    return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  }

  // Whoever works in the folder could write to what lies in it.
  Status check_database() const {
    if (what_ != What::kSubmit) return Done{};
    std::error_code failed;
    const fs::path folder = fs::weakly_canonical(options_.folder, failed);
    const fs::path database = fs::weakly_canonical(fs::absolute(options_.database), failed);
    if (std::mismatch(folder.begin(), folder.end(), database.begin(), database.end()).first !=
        folder.end())
      return Done{};
    return Error{ErrorCode::kUsage,
                 fmt::format("the database {} lies in the workspace, where its agent writes",
                             clean_name(options_.database.string(), 300)),
                 "name one elsewhere: --db FILE"};
  }

  [[nodiscard]] KernelRequest request() const { return {staged_, workspace_, place_}; }

  int compile() {
    const CompileAnswer answer = compile_kernels(request());
    return print(answer.result, answer.state);
  }

  // Verify and submit: a run of one row.
  int judge() {
    KernelRunOptions run;
    run.timed = what_ == What::kSubmit;
    if (run.timed) run.database = options_.database;
    run.command_line = fmt::format("kbench workspace {} {}", name_of(what_),
                                   clean_name(options_.folder.string(), 300));
    RunFace face(options_.common);
    const auto judged = run_kernels(request(), run, face);
    if (!judged) return complain(judged.error());
    if (!judged->row) {
      print_line(error_result(
          {ErrorCode::kInfrastructure, "nothing was judged", "the messages of the judge say why"}));
      const RunEnd end = end_of_run(judged->outcome, judged->terms);
      return finish(end.code, end.summary, options_.common.verbosity);
    }
    const Json result = judged->report ? submitted(*judged->report) : verify_result(*judged->row);
    return print(result, judged->row->state);
  }

  [[nodiscard]] Json submitted(ReportData data) const {
    data.trust = options_.common.trust;
    std::optional<RewardRule> rule;
    if (auto found = find_reward(options_.reward)) rule = std::move(*found);
    return {{"run_id", data.run.id},
            {"row", result_json(derive(data, data.evaluations.front()), rule)}};
  }

  // --- answers ---

  void print_line(const Json& result) const {
    Json whole = {{"request", name_of(what_)},
                  {"task", workspace_.task},
                  {"size", workspace_.size},
                  {"device", workspace_.device},
                  {"tree", staged_.tree.empty() ? Json() : Json(staged_.tree)}};
    whole.update(result);
    fmt::print("{}", fit(std::move(whole)));
  }

  int print(const Json& result, State state) const {
    print_line(result);
    const ExitCode code = fault_of(state) == Fault::kInfrastructure ? ExitCode::kInfrastructure
                          : is_failure(state)                       ? ExitCode::kTaskFailed
                                                                    : ExitCode::kGood;
    return finish(code, fmt::format("{}: {}", name_of(what_), to_string(state)),
                  options_.common.verbosity);
  }

  // Nothing could be judged: a mistake of whoever asks, in the folder or on the command line.
  int complain(const Error& error) const {
    print_line(error_result(error));
    return fail(error, inspect_terminal(STDERR_FILENO, options_.common.color));
  }

  What what_;
  const WorkspaceOptions& options_;
  const Installation& installation_;
  DeviceSession device_{installation_, SessionTurns::kOne};
  DeviceBenches benches_{device_};
  JudgingPlace place_{options_.common.suite, device_, benches_};
  WorkspaceTask workspace_;
  StagedKernels staged_;
};

int open_workspace(const WorkspaceOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  const auto prompt = prompt_of_task(
      options.common.suite, {}, options.task,
      {.size = options.size, .device = options.device, .language = std::nullopt}, installation);
  if (!prompt) return fail(prompt.error(), terminal);
  const auto texts = workspace_texts(*prompt, installation);
  if (!texts) return fail(texts.error(), terminal);
  const WorkspaceTask task{prompt->task.id, prompt->size, prompt->device};
  const auto made = make_workspace(options.folder, task, *texts);
  if (!made) return fail(made.error(), terminal);
  if (const auto kept = WorkspaceRecords(installation.state).keep(options.folder, task); !kept)
    return fail(kept.error(), terminal);
  return finish(ExitCode::kGood,
                fmt::format("workspace {} created for {} ({}, {}); put your kernel into {}",
                            clean_name(options.folder.string(), 300), prompt->task.id, prompt->size,
                            prompt->device, clean_name((options.folder / "kernels").string(), 300)),
                options.common.verbosity);
}

}  // namespace

std::array<WorkspaceApps::Asked, 4> WorkspaceApps::requests() const {
  using What = WorkspaceRequest::What;
  return {{{open, What::kOpen},
           {compile, What::kCompile},
           {verify, What::kVerify},
           {submit, What::kSubmit}}};
}

WorkspaceApps add_workspace(CLI::App& app, WorkspaceOptions& options) {
  auto* workspace = app.add_subcommand("workspace", "Let an agent work on a task in a folder");
  workspace->require_subcommand(1);
  workspace->footer(help_of("workspace"));
  const WorkspaceApps apps = {
      workspace->add_subcommand("open", "Make the folder of a task"),
      workspace->add_subcommand("compile", "Compile its kernels"),
      workspace->add_subcommand("verify", "Check them on fresh inputs"),
      workspace->add_subcommand("submit", "Check and time them, store and reward the row"),
  };
  add_one_task(*apps.open, options.task);
  for (const auto& [one, what] : apps.requests()) {
    const bool is_new = what == WorkspaceRequest::What::kOpen;
    one->footer(help_of("workspace"));
    one->add_option("DIR", options.folder, is_new ? "New folder" : "Folder of the task")
        ->required()
        ->type_name("");
    add_common(*one, options.common, true);
  }
  add_size(*apps.open, options.size, "Size of the task (default: full on CUDA, small on CPU)");
  add_device(*apps.open, options.device);
  apps.submit->add_option("--agent", options.agent, "Who submits (default: the folder's name)")
      ->type_name("NAME");
  add_reward(*apps.submit, options.reward, "Reward of the row (default: milestone_sure)");
  add_trust(*apps.submit, options.common.trust);
  add_database(*apps.submit, options.database);
  return apps;
}

int call(const WorkspaceRequest& request, const Installation& installation) {
  if (request.what == What::kOpen) return open_workspace(request.options, installation);
  return Asked(request, installation).answer();
}

}  // namespace kbench
