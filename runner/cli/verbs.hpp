// The verbs, two functions each, in a file of its own: run_command.cpp has those of `kbench run`.
// `add_NAME` puts the verb into the table that CLI11 reads, with options that fill the struct when
// they are typed, and returns what was added. `call` does what is asked: results go to standard
// output, and how it ended is returned.
#pragma once

#include <CLI/CLI.hpp>

#include "runner/cli/options.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

CLI::App* add_run(CLI::App& app, RunOptions& options);
Result<End> call(const RunOptions& options, const Installation& installation);

// 1: a submission does not compile.
CLI::App* add_build(CLI::App& app, BuildOptions& options);
Result<End> call(const BuildOptions& options, const Installation& installation);

// 4 where a regression is confirmed; else 3 where something was our own fault or the machine's;
// else 0, whatever submissions failed as they did before.
CLI::App* add_nightly(CLI::App& app, NightlyOptions& options);
Result<End> call(const NightlyOptions& options, const Installation& installation);

CLI::App* add_tasks(CLI::App& app, TasksOptions& options);
Result<End> call(const TasksOptions& options, const Installation& installation);

// Below `tasks`. 1: a task fails or too many accept a flaw.
CLI::App* add_lint(CLI::App& tasks, LintOptions& options);
Result<End> call(const LintOptions& options, const Installation& installation);

CLI::App* add_import(CLI::App& app, ImportOptions& options);
Result<End> call(const ImportOptions& options, const Installation& installation);

CLI::App* add_synth(CLI::App& app, SynthOptions& options);
Result<End> call(const SynthOptions& options, const Installation& installation);

CLI::App* add_report(CLI::App& app, ReportOptions& options);
Result<End> call(const ReportOptions& options, const Installation& installation);

CLI::App* add_sources(CLI::App& app, SourcesOptions& options);
Result<End> call(const SourcesOptions& options, const Installation& installation);

CLI::App* add_reproduce(CLI::App& app, ReproduceOptions& options);
Result<End> call(const ReproduceOptions& options, const Installation& installation);

CLI::App* add_explain(CLI::App& app, ExplainOptions& options);
Result<End> call(const ExplainOptions& options, const Installation& installation);

// Exits with 0 where there is no database, too.
CLI::App* add_names(CLI::App& app, NamesOptions& options);
Result<End> call(const NamesOptions& options, const Installation& installation);

CLI::App* add_runs(CLI::App& app, RunsOptions& options);
Result<End> call(const RunsOptions& options, const Installation& installation);

CLI::App* add_tag(CLI::App& app, TagOptions& options);
Result<End> call(const TagOptions& options, const Installation& installation);

CLI::App* add_compare(CLI::App& app, CompareOptions& options);
Result<End> call(const CompareOptions& options, const Installation& installation);

CLI::App* add_history(CLI::App& app, HistoryOptions& options);
Result<End> call(const HistoryOptions& options, const Installation& installation);

// `attribute analyze`, below study's.
CLI::App* add_attribute(CLI::App& attribute, AttributeOptions& options);
Result<End> call(const AttributeOptions& options, const Installation& installation);

// `attribute plan|run|report`.
CLI::App* add_study(CLI::App& app, StudyOptions& options);
Result<End> call(const StudyOptions& options, const Installation& installation);

CLI::App* add_trajectory(CLI::App& app, TrajectoryOptions& options);
Result<End> call(const TrajectoryOptions& options, const Installation& installation);

// 1 where check found something wrong, salvage lost a run, or merge refused one.
CLI::App* add_db(CLI::App& app, DbOptions& options);
Result<End> call(const DbOptions& options, const Installation& installation);

// 1 where check found something wrong.
CLI::App* add_exchange(CLI::App& app, ExchangeOptions& options);
Result<End> call(const ExchangeOptions& options, const Installation& installation);

CLI::App* add_workspace(CLI::App& app, WorkspaceOptions& options);
Result<End> call(const WorkspaceOptions& options, const Installation& installation);

CLI::App* add_serve(CLI::App& app, ServeOptions& options);
Result<End> call(const ServeOptions& options, const Installation& installation);

CLI::App* add_mcp(CLI::App& app, McpOptions& options);
Result<End> call(const McpOptions& options, const Installation& installation);

CLI::App* add_episodes(CLI::App& app, EpisodesOptions& options);
Result<End> call(const EpisodesOptions& options, const Installation& installation);

CLI::App* add_export(CLI::App& app, ExportOptions& options);
Result<End> call(const ExportOptions& options, const Installation& installation);

// `agent run`.
CLI::App* add_agent(CLI::App& app, AgentRunOptions& options);
Result<End> call(const AgentRunOptions& options, const Installation& installation);

CLI::App* add_config(CLI::App& app, ConfigOptions& options);
Result<End> call(const ConfigOptions& options, const Installation& installation);

// Exits with 3 where kbench cannot run here.
CLI::App* add_doctor(CLI::App& app, DoctorOptions& options);
Result<End> call(const DoctorOptions& options, const Installation& installation);

// Measures what the device can do at most, and what equal runs on it differ by, into the device's
// one calibration file. 3 where not everything was measured, or the clock failed a check.
CLI::App* add_calibrate(CLI::App& app, CalibrateRequest& options);
Result<End> call(const CalibrateRequest& request, const Installation& installation);

// 1 where the submission does not compile or its process ends.
CLI::App* add_profile(CLI::App& app, ProfileOptions& options);
Result<End> call(const ProfileOptions& options, const Installation& installation);

// 1 where the kernel is not clean or does not compile.
CLI::App* add_debug(CLI::App& app, DebugOptions& options);
Result<End> call(const DebugOptions& options, const Installation& installation);

// `selftest sandbox`. 3 where something is open: the machine, or kbench, lacks something.
CLI::App* add_selftest(CLI::App& app, SelftestRequest& options);
Result<End> call(const SelftestRequest& request, const Installation& installation);

// The options of both that calibrate.
void add_calibration(CLI::App& verb, TimingSelftestRequest& options);

// `selftest timing`. 3 where a check failed: the machine is too restless to measure on, or the
// clock is wrong. A calibration is kept in both cases.
CLI::App* add_timing(CLI::App& selftest, TimingSelftestRequest& options);
Result<End> call(const TimingSelftestRequest& request, const Installation& installation);

// A page of the manual.
Result<End> call(const HelpRequest& request, const Installation& installation);

// `selftest timing` without a word on standard output: for a command that needs a calibration and
// finds none. Errors: those of its runs; a clock that fails a check is none.
[[nodiscard]] Status calibrate(const TimingSelftestRequest& request,
                               const Installation& installation);

}  // namespace kbench
