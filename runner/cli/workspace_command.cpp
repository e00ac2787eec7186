#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/requests.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/device/device_session.hpp"
#include "runner/judge/workspace_session.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/print/run_face.hpp"
#include "runner/run/device_bench.hpp"

namespace kbench {
namespace {

ExitCode code_of(State state) {
  if (fault_of(state) == Fault::kInfrastructure) return ExitCode::kInfrastructure;
  return is_failure(state) ? ExitCode::kTaskFailed : ExitCode::kGood;
}

}  // namespace

WorkspaceJudging request_of(const WorkspaceOptions& options) {
  WorkspaceJudging judging{.ask = options.ask.value_or(WorkspaceAsk::kCompile),
                           .folder = options.folder,
                           .agent = options.agent,
                           .reward = {},
                           .trust = options.common.trust,
                           .database = options.database};
  if (auto rule = find_reward(options.reward)) judging.reward = std::move(*rule);
  return judging;
}

namespace {

Result<End> judge(const WorkspaceOptions& options, const Installation& installation) {
  const WorkspaceJudging judging = request_of(options);
  DeviceSession device(installation, SessionTurns::kOne);
  DeviceBenches benches(device);
  RunFace face(options.common.color, options.common.verbosity);
  const WorkspaceAnswer answer =
      answer_in_workspace(judging, {options.common.suite, device, benches}, face);
  fmt::print("{}", answer.line);
  if (answer.error) return *answer.error;
  if (answer.state)
    return End{code_of(*answer.state),
               fmt::format("{}: {}", to_string(judging.ask), to_string(*answer.state))};
  return end_of_run(answer.unjudged->outcome, answer.unjudged->terms);
}

Result<End> open_workspace(const WorkspaceOptions& options, const Installation& installation) {
  const auto prompt = prompt_of_task(options.common.suite, {}, options.task,
                                     {.size = options.size,
                                      .device = options.device,
                                      .language = std::nullopt,
                                      .precision = options.precision},
                                     installation);
  if (!prompt) return prompt.error();
  if (const auto made = make_workspace_for(options.folder, *prompt, installation); !made)
    return made.error();
  return good(fmt::format("workspace {} created for {} ({}, {}); put your kernel into {}",
                          clean_name(options.folder.string(), 300), prompt->task.id, prompt->size,
                          prompt->device, clean_name((options.folder / "kernels").string(), 300)));
}

}  // namespace

CLI::App* add_workspace(CLI::App& app, WorkspaceOptions& options) {
  auto& workspace = add_group(app, "workspace", "Let an agent work on a task in a folder");
  using Ask = WorkspaceAsk;
  const auto add = [&](const char* name, std::optional<Ask> ask, const char* about) {
    return &add_form(workspace, name, options.ask, ask, about);
  };
  auto* open = add("open", std::nullopt, "Make the folder of a task");
  auto* compile = add("compile", Ask::kCompile, "Compile its kernels");
  auto* verify = add("verify", Ask::kVerify, "Check them on fresh inputs");
  auto* debug = add("debug", Ask::kDebug, "Run them under sanitizers, which name faults");
  auto* analyze = add("analyze", Ask::kAnalyze, "Read their loops, and what clang-tidy finds");
  auto* profile = add("profile", Ask::kProfile, "Say what bounds them, and one thing to do");
  auto* submit = add("submit", Ask::kSubmit, "Check and time them, store and reward the row");
  add_one_task(*open, options.task);
  for (auto* one : {open, compile, verify, debug, analyze, profile, submit}) {
    add_value(*one, "DIR", options.folder, "", one == open ? "New folder" : "Folder of the task")
        ->required();
    add_common(*one, options.common, true);
  }
  add_size(*open, options.size, "Size of the task (default: full on CUDA, small on CPU)");
  add_device(*open, options.device);
  add_precision(*open, options.precision);
  add_value(*submit, "--agent", options.agent, "NAME", "Who submits (default: the folder's name)");
  add_reward(*submit, options.reward, "Reward of the row (default: milestone_sure)");
  add_trust(*submit, options.common.trust);
  add_database(*submit, options.database);
  return &workspace;
}

Result<End> call(const WorkspaceOptions& options, const Installation& installation) {
  if (!options.ask) return open_workspace(options, installation);
  return judge(options, installation);
}

}  // namespace kbench
