// The commands, one for each kind of request: options in, results on standard output, the last line
// on standard error, the exit status out (exit_codes.hpp). Each lies with the options of its verb
// in a file of its own, run_command.cpp for `kbench run`.
#pragma once

#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

int call(const HelpRequest& request, const Installation& installation);

int call(const RunOptions& options, const Installation& installation);
// Exit status: 4 where a regression is confirmed; else 3 where something was our own fault or the
// machine's; else 0, whatever submissions failed as they did before.
int call(const NightlyOptions& options, const Installation& installation);

int call(const TasksListRequest& request, const Installation& installation);
int call(const TasksShowRequest& request, const Installation& installation);
int call(const TasksHeaderRequest& request, const Installation& installation);
int call(const TasksPromptRequest& request, const Installation& installation);
// Exit status: 0 all good, 1 a task fails or too many accept a flaw, 3 the machine's fault.
int call(const LintOptions& options, const Installation& installation);
int call(const ImportOptions& options, const Installation& installation);
int call(const SynthOptions& options, const Installation& installation);

int call(const ReportOptions& options, const Installation& installation);
int call(const SourcesOptions& options, const Installation& installation);
int call(const ReproduceOptions& options, const Installation& installation);
int call(const ExplainOptions& options, const Installation& installation);
// Good where there is no database, too.
int call(const NamesOptions& options, const Installation& installation);
int call(const RunsOptions& options, const Installation& installation);
int call(const TagOptions& options, const Installation& installation);
int call(const CompareOptions& options, const Installation& installation);
int call(const HistoryOptions& options, const Installation& installation);
int call(const AttributeOptions& options, const Installation& installation);
int call(const StudyCommand& command, const Installation& installation);
int call(const TrajectoryRequest& request, const Installation& installation);
// Exit status: 1 where check found something wrong, salvage lost a run, or merge refused one.
int call(const DbOptions& options, const Installation& installation);

int call(const WorkspaceRequest& request, const Installation& installation);
int call(const ServeOptions& options, const Installation& installation);
int call(const McpOptions& options, const Installation& installation);
int call(const EpisodesRequest& request, const Installation& installation);
int call(const ExportOptions& options, const Installation& installation);
int call(const AgentRunOptions& options, const Installation& installation);

int call(const ConfigOptions& options, const Installation& installation);
// Exit status: 3 where kbench cannot run here.
int call(const DoctorOptions& options, const Installation& installation);
// Measures what the device can do at most, and what equal runs on it differ by, into the device's
// one calibration file. Exit status: 0 where everything was measured and the clock passed its
// checks, else 3.
int call(const CalibrateRequest& request, const Installation& installation);
// Exit status: 1 where the submission does not compile or its process ends.
int call(const ProfileOptions& options, const Installation& installation);
// Exit status: 3 where something is open: the machine, or kbench, lacks something.
int call(const SelftestRequest& request, const Installation& installation);
// Exit status: 3 where a check failed: the machine is too restless to measure on, or the clock is
// wrong. A calibration is kept in both cases.
int call(const TimingSelftestRequest& request, const Installation& installation);

// The same without a word on standard output: for a command that needs a calibration and finds
// none. Errors: those of its runs; a clock that fails a check is none.
[[nodiscard]] Status calibrate(const TimingSelftestRequest& request,
                               const Installation& installation);

}  // namespace kbench
