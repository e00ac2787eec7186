#include <unistd.h>

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/run_end.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/device/device_session.hpp"
#include "runner/judge/workspace_session.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/run/device_bench.hpp"

namespace kbench {
namespace {

using What = WorkspaceRequest::What;

ExitCode code_of(State state) {
  if (fault_of(state) == Fault::kInfrastructure) return ExitCode::kInfrastructure;
  return is_failure(state) ? ExitCode::kTaskFailed : ExitCode::kGood;
}

int judge(const WorkspaceRequest& request, const Installation& installation) {
  const WorkspaceOptions& options = request.options;
  WorkspaceJudging judging{.ask = request.what == What::kCompile   ? WorkspaceAsk::kCompile
                                  : request.what == What::kVerify  ? WorkspaceAsk::kVerify
                                  : request.what == What::kProfile ? WorkspaceAsk::kProfile
                                                                   : WorkspaceAsk::kSubmit,
                           .folder = options.folder,
                           .agent = options.agent,
                           .reward = {},
                           .trust = options.common.trust,
                           .database = options.database};
  if (auto rule = find_reward(options.reward)) judging.reward = std::move(*rule);
  DeviceSession device(installation, SessionTurns::kOne);
  DeviceBenches benches(device);
  RunFace face(options.common);
  const WorkspaceAnswer answer =
      answer_in_workspace(judging, {options.common.suite, device, benches}, face);
  fmt::print("{}", answer.line);
  if (answer.error)
    return fail(*answer.error, inspect_terminal(STDERR_FILENO, options.common.color));
  if (answer.state)
    return finish(code_of(*answer.state),
                  fmt::format("{}: {}", to_string(judging.ask), to_string(*answer.state)),
                  options.common.verbosity);
  const RunEnd end = end_of_run(answer.unjudged->outcome, answer.unjudged->terms);
  return finish(end.code, end.summary, options.common.verbosity);
}

int open_workspace(const WorkspaceOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  const auto prompt = prompt_of_task(options.common.suite, {}, options.task,
                                     {.size = options.size,
                                      .device = options.device,
                                      .language = std::nullopt,
                                      .precision = options.precision},
                                     installation);
  if (!prompt) return fail(prompt.error(), terminal);
  if (const auto made = make_workspace_for(options.folder, *prompt, installation); !made)
    return fail(made.error(), terminal);
  return finish(ExitCode::kGood,
                fmt::format("workspace {} created for {} ({}, {}); put your kernel into {}",
                            clean_name(options.folder.string(), 300), prompt->task.id, prompt->size,
                            prompt->device, clean_name((options.folder / "kernels").string(), 300)),
                options.common.verbosity);
}

}  // namespace

std::array<WorkspaceApps::Asked, 5> WorkspaceApps::requests() const {
  using What = WorkspaceRequest::What;
  return {{{open, What::kOpen},
           {compile, What::kCompile},
           {verify, What::kVerify},
           {profile, What::kProfile},
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
      workspace->add_subcommand("profile", "Say what bounds them, and one thing to do"),
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
  add_precision(*apps.open, options.precision);
  apps.submit->add_option("--agent", options.agent, "Who submits (default: the folder's name)")
      ->type_name("NAME");
  add_reward(*apps.submit, options.reward, "Reward of the row (default: milestone_sure)");
  add_trust(*apps.submit, options.common.trust);
  add_database(*apps.submit, options.database);
  return apps;
}

int call(const WorkspaceRequest& request, const Installation& installation) {
  if (request.what == What::kOpen) return open_workspace(request.options, installation);
  return judge(request, installation);
}

}  // namespace kbench
