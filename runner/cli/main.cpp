// The supervisor's entry: finds the installation, reads the command line, calls one command. The
// last place where an exception can be caught.
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "runner/cli/agent_command.hpp"
#include "runner/cli/attribute_command.hpp"
#include "runner/cli/command_line.hpp"
#include "runner/cli/compare_command.hpp"
#include "runner/cli/config_command.hpp"
#include "runner/cli/db_command.hpp"
#include "runner/cli/doctor.hpp"
#include "runner/cli/episodes_command.hpp"
#include "runner/cli/export_command.hpp"
#include "runner/cli/help_command.hpp"
#include "runner/cli/history_command.hpp"
#include "runner/cli/import_command.hpp"
#include "runner/cli/lint_command.hpp"
#include "runner/cli/mcp_command.hpp"
#include "runner/cli/nightly_command.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/report_command.hpp"
#include "runner/cli/reproduce_command.hpp"
#include "runner/cli/run_command.hpp"
#include "runner/cli/runs_command.hpp"
#include "runner/cli/selftest_command.hpp"
#include "runner/cli/serve_command.hpp"
#include "runner/cli/sources_command.hpp"
#include "runner/cli/synth_command.hpp"
#include "runner/cli/tag_command.hpp"
#include "runner/cli/tasks_command.hpp"
#include "runner/cli/timing_selftest.hpp"
#include "runner/cli/workspace_command.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/installation/installation.hpp"
#include "runner/workspace/workspace_record.hpp"

namespace kbench {
namespace {

// Calls the command that a request stands for.
struct Dispatch {
  const Installation& installation;

  int operator()(const PrintText&) const { return to_int(ExitCode::kGood); }  // printed before
  int operator()(const HelpRequest& request) const {
    return help_command(request.topic, installation);
  }
  int operator()(const RunOptions& options) const { return run_command(options, installation); }
  int operator()(const TasksListRequest& request) const {
    return tasks_list_command(request.options, installation);
  }
  int operator()(const TasksShowRequest& request) const {
    return tasks_show_command(request.options, installation);
  }
  int operator()(const TasksHeaderRequest& request) const {
    return tasks_header_command(request.options, installation);
  }
  int operator()(const LintOptions& options) const { return lint_command(options, installation); }
  int operator()(const TasksPromptRequest& request) const {
    return tasks_prompt_command(request.options, installation);
  }
  int operator()(const ImportOptions& options) const {
    return import_command(options, installation);
  }
  int operator()(const SynthOptions& options) const { return synth_command(options, installation); }
  int operator()(const ReportOptions& options) const {
    return report_command(options, installation);
  }
  int operator()(const SourcesOptions& options) const {
    return sources_command(options, installation);
  }
  int operator()(const ReproduceOptions& options) const {
    return reproduce_command(options, installation);
  }
  int operator()(const RunsOptions& options) const { return runs_command(options); }
  int operator()(const TagOptions& options) const { return tag_command(options); }
  int operator()(const CompareOptions& options) const {
    return compare_command(options, installation);
  }
  int operator()(const HistoryOptions& options) const {
    return history_command(options, installation);
  }
  int operator()(const NightlyOptions& options) const {
    return nightly_command(options, installation);
  }
  int operator()(const WorkspaceRequest& request) const {
    return workspace_command(request, installation);
  }
  int operator()(const ServeOptions& options) const { return serve_command(options, installation); }
  int operator()(const McpOptions& options) const { return mcp_command(options, installation); }
  int operator()(const EpisodesRequest& request) const {
    return episodes_command(request, installation);
  }
  int operator()(const ExportOptions& options) const {
    return export_command(options, installation);
  }
  int operator()(const AgentRunOptions& options) const {
    return agent_run_command(options, installation);
  }
  int operator()(const AttributeOptions& options) const { return attribute_command(options); }
  int operator()(const ConfigOptions& options) const { return config_command(options); }
  int operator()(const DbOptions& options) const { return db_command(options, installation); }
  int operator()(const SelftestRequest& request) const {
    return selftest_sandbox_command(request, installation);
  }
  int operator()(const TimingSelftestRequest& request) const {
    return selftest_timing_command(request, installation);
  }
  int operator()(const DoctorOptions& options) const {
    return doctor_command(options, installation);
  }
};

// Where a kbench.toml counts. An agent may write to its workspace, and whoever judges it there has
// asked for no settings.
std::filesystem::path settings_folder() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::current_path(failed);
  const WorkspaceRecords records(find_state(process_environment()));
  return records.hold(folder) ? std::filesystem::path() : folder;
}

int run_program(const std::vector<std::string>& words) {
  const auto terminal = inspect_terminal(STDERR_FILENO, ColorMode::kAuto);
  const auto request = parse_command_line(words, process_surroundings(settings_folder()));
  if (!request) return fail(request.error(), terminal);
  // Help and version work anywhere, even without an installation around the program.
  if (const auto* text = std::get_if<PrintText>(&*request)) {
    fmt::print("{}", text->text);
    return finish(ExitCode::kGood, "", -1);
  }

  if (build_info().debug) {
    fmt::print(stderr, "{} this is a debug build: its times mean nothing\n",
               terminal.paint(Color::kYellow, "warning:"));
  }
  const auto program = this_program();
  if (!program) return fail(program.error(), terminal);
  const auto installation = find_installation(
      *program, process_environment(), {built_with_python(), built_from(), built_with_torch()});
  if (!installation) return fail(installation.error(), terminal);
  return std::visit(Dispatch{*installation}, *request);
}

}  // namespace
}  // namespace kbench

int main(int argc, char** argv) {
  using kbench::ErrorCode;
  const auto fail_with = [](const std::string& what) {
    return kbench::fail(
        {ErrorCode::kInfrastructure, "unexpected: " + what,
         "this is a bug in kbench; please report it with the command that led here"},
        kbench::Terminal{});
  };
  // A limit on the size of files is an error of write() like a full disk, not our end.
  ::signal(SIGXFSZ, SIG_IGN);
  try {
    return kbench::run_program({argv, argv + argc});
  } catch (const std::system_error& problem) {
    // Of fmt, where the disk is full or the reader gone: nobody's bug, and finish() says so.
    if (std::ferror(stdout) == 0) return fail_with(problem.what());
    errno = problem.code().value();
    return kbench::finish(kbench::ExitCode::kGood, "", 0);
  } catch (const std::exception& problem) {
    return fail_with(problem.what());
  } catch (...) {
    return fail_with("an exception of unknown type");
  }
}
