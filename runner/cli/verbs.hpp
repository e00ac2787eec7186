// The options of each verb: `add_NAME` puts a verb into the table that CLI11 reads, with options
// that fill the struct when they are typed. They lie beside what the verb does (commands.hpp).
#pragma once

#include <array>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "reports/write/outputs.hpp"
#include "runner/cli/options.hpp"

namespace kbench {

struct WhoseSubmissions {
  CLI::Option* submissions;
  CLI::Option* agent;
};

// Options of what is measured, and how: of `run` and `nightly`.
WhoseSubmissions add_measuring(CLI::App& app, RunOptions& options);
CLI::App* add_run(CLI::App& app, RunOptions& options, OutputWords& words);
CLI::App* add_nightly(CLI::App& app, NightlyOptions& options, OutputWords& words);

struct TasksApps {
  CLI::App* list;
  CLI::App* show;
  CLI::App* header;
  CLI::App* lint;
  CLI::App* prompt;
};
TasksApps add_tasks(CLI::App& app, TasksOptions& options, LintOptions& lint);
CLI::App* add_lint(CLI::App& tasks, LintOptions& options);
CLI::App* add_import(CLI::App& app, ImportOptions& options);
CLI::App* add_synth(CLI::App& app, SynthOptions& options);

CLI::App* add_report(CLI::App& app, ReportOptions& options, OutputWords& words);
CLI::App* add_sources(CLI::App& app, SourcesOptions& options);
CLI::App* add_reproduce(CLI::App& app, ReproduceOptions& options, OutputWords& words);
CLI::App* add_explain(CLI::App& app, ExplainOptions& options);
CLI::App* add_names(CLI::App& app, NamesOptions& options);
CLI::App* add_runs(CLI::App& app, RunsOptions& options);
CLI::App* add_tag(CLI::App& app, TagOptions& options);
CLI::App* add_compare(CLI::App& app, CompareOptions& options);
CLI::App* add_history(CLI::App& app, HistoryOptions& options);
CLI::App* add_attribute(CLI::App& app, AttributeOptions& options);  // returns `analyze`, below it
struct StudyApps {
  CLI::App* plan;
  CLI::App* run;
  CLI::App* report;

  using Asked = std::pair<CLI::App*, StudyCommand::What>;
  [[nodiscard]] std::array<Asked, 3> requests() const;
};
StudyApps add_study(CLI::App& attribute, StudyOptions& options);
struct TrajectoryApps {
  CLI::App* import;
  CLI::App* freeze;
  CLI::App* list;
  CLI::App* show;

  using Asked = std::pair<CLI::App*, TrajectoryRequest::What>;
  [[nodiscard]] std::array<Asked, 4> requests() const;
};
TrajectoryApps add_trajectory(CLI::App& app, TrajectoryOptions& options);
CLI::App* add_db(CLI::App& app, DbOptions& options);

struct WorkspaceApps {
  CLI::App* open;
  CLI::App* compile;
  CLI::App* verify;
  CLI::App* profile;
  CLI::App* submit;

  using Asked = std::pair<CLI::App*, WorkspaceRequest::What>;
  [[nodiscard]] std::array<Asked, 5> requests() const;
};
WorkspaceApps add_workspace(CLI::App& app, WorkspaceOptions& options);
// Options of what `serve` and `mcp` judge by.
void add_judging(CLI::App& app, ServeOptions& options);
CLI::App* add_serve(CLI::App& app, ServeOptions& options);
CLI::App* add_mcp(CLI::App& app, McpOptions& options);

struct EpisodesApps {
  CLI::App* list;
  CLI::App* show;

  using Asked = std::pair<CLI::App*, EpisodesRequest::What>;
  [[nodiscard]] std::array<Asked, 2> requests() const;
};
EpisodesApps add_episodes(CLI::App& app, EpisodesOptions& options);
CLI::App* add_export(CLI::App& app, ExportOptions& options);
CLI::App* add_agent(CLI::App& app, AgentRunOptions& options);  // returns `run`, below it

CLI::App* add_config(CLI::App& app, ConfigOptions& options);
CLI::App* add_doctor(CLI::App& app, DoctorOptions& options);
CLI::App* add_calibrate(CLI::App& app, CalibrateRequest& options);
CLI::App* add_profile(CLI::App& app, ProfileOptions& options);
struct SelftestCommands {
  CLI::App* sandbox;
  CLI::App* timing;
};
SelftestCommands add_selftest(CLI::App& app, SelftestRequest& options,
                              TimingSelftestRequest& timing);
CLI::App* add_timing(CLI::App& selftest, TimingSelftestRequest& options);

}  // namespace kbench
