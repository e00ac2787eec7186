#include "runner/cli/command_workspace.hpp"

#include "runner/cli/command_help.hpp"

namespace kbench {

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

}  // namespace kbench
