// The options of all commands, as plain values. command_line fills them from the option table; the
// commands only read them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/facts/trust.hpp"
#include "reports/facts/variant_rule.hpp"
#include "reports/write/outputs.hpp"
#include "reports/write/report_session.hpp"
#include "runner/again/compared_runs.hpp"
#include "runner/again/night_session.hpp"
#include "runner/again/stored_row.hpp"
#include "runner/episode/agent_run.hpp"
#include "runner/episode/endpoint_words.hpp"
#include "runner/episode/kept_states.hpp"
#include "runner/exchange/examination.hpp"
#include "runner/import/import_session.hpp"
#include "runner/judge/debug_session.hpp"
#include "runner/judge/serving.hpp"
#include "runner/judge/workspace_session.hpp"
#include "runner/options/settings.hpp"
#include "runner/options/shared_options.hpp"
#include "runner/options/terminal.hpp"
#include "runner/plan/run_request.hpp"
#include "runner/profile/profile_session.hpp"
#include "runner/prompt/prompt_language.hpp"
#include "runner/reward/reward.hpp"
#include "runner/run/build_session.hpp"
#include "runner/run/run_terms.hpp"
#include "runner/study/make_plan.hpp"
#include "runner/study/study_run.hpp"
#include "runner/synthesis/synth_request.hpp"
#include "runner/trajectory/render_episode.hpp"

namespace kbench {

// Options that every command takes.
struct CommonOptions {
  int verbosity = 0;  // -1 quiet, 0 normal, 1 and above verbose
  ColorMode color = ColorMode::kAuto;
  bool wide = false;  // tables keep every column, however narrow the terminal
  Trust trust;        // rows that count although they cannot be checked
  std::optional<std::filesystem::path> suite;  // a folder with levelN/; else the installation's
  // The sources of options that were not typed; both were read before (options/settings.hpp).
  std::string config;
  std::string preset;
};

// `kbench run`: what it is asked for, on which terms, and what is shown of it.
struct RunOptions : RunRequest, RunTerms {
  CommonOptions common;    // without its suite, which is the request's
  bool dry_run = false;    // the plan is printed, and nothing else done
  bool exit_zero = false;  // failures of submissions do not change the exit code
  // A KernelBench problem that the request's file solves, in place of suite and tasks.
  std::optional<std::filesystem::path> reference;
  // Tasks besides those of the request, a line each; "-": standard input.
  std::optional<std::filesystem::path> input_file;
  VariantRule variants = VariantRule::kBest;
  OutputWords words;
  std::vector<OutputRequest> outputs;  // reports that these words ask for
};

// `kbench build`.
struct BuildOptions : BuildRequest {
  CommonOptions common;                             // without its suite, which is the run's
  std::optional<std::filesystem::path> input_file;  // as RunOptions has it
  OutputFormat format = OutputFormat::kTable;
};

// `kbench tasks list|show|header|prompt`.
struct TasksOptions {
  enum class What { kList, kShow, kHeader, kPrompt };
  What what = What::kList;
  CommonOptions common;
  std::vector<int> levels;
  std::vector<std::string> tasks;    // list: patterns of select_tasks; empty: all
  std::vector<std::string> tags;     // list: of task/task_tags.hpp; empty: all
  std::vector<std::string> columns;  // list: names of its columns; empty: as many as fit
  std::string task;                  // but list: must select exactly one
  std::optional<std::string> size;   // show: else all; header: else "small"; prompt: by the device
  std::string precision = "torch-default";  // show, header, prompt: the class of the run to come
  std::optional<std::string> device;        // prompt: "cpu", "cuda" or "cuda:N"; else what there is
  std::optional<PromptLanguage> language;   // prompt: else the device's usual one
  std::optional<std::filesystem::path> out;  // header: folder for task.h and kbench.h
  OutputFormat format = OutputFormat::kTable;
};

// `kbench import`.
struct ImportOptions : SuiteImport {
  CommonOptions common;
  OutputFormat format = OutputFormat::kTable;
};

// `kbench synth`.
struct SynthOptions : SynthRequest {
  CommonOptions common;
  OutputFormat format = OutputFormat::kTable;
};

// `kbench tasks lint`. Where a value is empty the command chooses by what the machine has.
struct LintOptions {
  CommonOptions common;
  RunRequest selection;  // tasks, device and size, like a run's
  OutputFormat format = OutputFormat::kTable;
  std::filesystem::path database = "kbench.sqlite";
};

// `kbench report`.
struct ReportOptions : ReportRequest {  // its outputs are what these words come to
  CommonOptions common;
  std::optional<std::string> reward_name;  // a name of reward/reward.hpp
  OutputWords words;

  ReportOptions() { database = "kbench.sqlite"; }
};

// `kbench sources`.
struct SourcesOptions {
  CommonOptions common;
  RowChoice row;
  std::filesystem::path out;  // a folder; made where it is missing, else empty
};

// `kbench reproduce`.
struct ReproduceOptions {
  CommonOptions common;  // a suite: in place of the run's
  RowChoice row;
  std::filesystem::path into = "kbench.sqlite";
  OutputWords words;
  std::vector<OutputRequest> outputs;  // reports that these words ask for
  std::string command_line;            // as typed, for the store
};

// `kbench explain`.
struct ExplainOptions {
  CommonOptions common;
  std::filesystem::path database = "kbench.sqlite";
  std::string run = "latest";      // a name of store/run_name.hpp
  std::vector<std::string> tasks;  // patterns of select_tasks; empty: all
  std::optional<std::string> agent;
  OutputFormat format = OutputFormat::kTable;
};

// `kbench names`.
struct NamesOptions {
  CommonOptions common;
  std::string kind;  // one of again/known_names.hpp
  std::filesystem::path database = "kbench.sqlite";
  std::vector<std::string> line;  // words of the command line that is being completed
};

// `kbench runs`.
struct RunsOptions {
  CommonOptions common;
  std::filesystem::path database = "kbench.sqlite";
  std::optional<std::string> device;  // its kind or a part of its name; else all
  std::vector<std::string> columns;   // names of the list's; empty: the usual ones
  OutputFormat format = OutputFormat::kTable;
};

// `kbench tag`. Either gives a run a name, or takes a name away.
struct TagOptions {
  CommonOptions common;
  std::filesystem::path database = "kbench.sqlite";
  std::string run;   // a name of store/run_name.hpp
  std::string name;  // name of the new tag
  std::optional<std::string> remove;
};

// `kbench compare`.
struct CompareOptions : PairedMeasuring {  // for --remeasure
  CommonOptions common;
  // Names of store/run_name.hpp. Before: else the run before the other one on its device.
  std::optional<std::string> before;
  std::string after = "latest";
  Side baseline = Side::kEager;  // the common scale
  std::string fail_on;           // one of reports/over_time/fail_on.hpp; empty: nothing
  bool exit_zero = false;        // findings of --fail-on do not change the exit code
  bool force = false;
  bool all = false;  // lists what is the same, too
  OutputFormat format = OutputFormat::kTable;
  bool remeasure = false;  // both sides anew, in pairs

  CompareOptions() { database = "kbench.sqlite"; }
};

// `kbench nightly`.
struct NightlyOptions : RunOptions, NightChoices {};  // its outputs are those of the night

// `kbench config`.
struct ConfigOptions {
  CommonOptions common;
  OutputFormat format = OutputFormat::kTable;
  std::string command;  // "run", "tasks lint"
  std::vector<EffectiveSetting> settings;
  std::vector<std::string> unknown_variables;
};

// `kbench history`.
struct HistoryOptions {
  CommonOptions common;
  std::filesystem::path database = "kbench.sqlite";
  std::string task;  // a pattern of select_tasks; must select exactly one
  std::optional<std::string> agent;
  std::optional<std::string> device;  // as in RunsOptions; else that of the newest run
  Side baseline = Side::kEager;
  OutputFormat format = OutputFormat::kTable;
};

// `kbench workspace open|compile|verify|debug|analyze|profile|submit`.
struct WorkspaceOptions {
  std::optional<WorkspaceAsk> ask;  // empty: open
  CommonOptions common;
  std::filesystem::path folder;
  std::string task;                         // open: must select exactly one
  std::optional<std::string> size;          // open; else by the device
  std::optional<std::string> device;        // open: "cpu", "cuda" or "cuda:N"; else what there is
  std::string precision = "torch-default";  // open
  std::string agent;                        // submit; empty: called like the folder
  std::string reward = "milestone_sure";    // submit: a name of reward/reward.hpp
  std::filesystem::path database = "kbench.sqlite";  // submit
};

// `kbench serve`.
struct ServeOptions : HttpServing {
  CommonOptions common;
  std::optional<std::string> device;  // "cpu", "cuda" or "cuda:N"; else what there is
  std::optional<std::string> size;    // default for orders that name none; empty: by the device
  std::string allow_torch = "data";   // as RunOptions has it
  std::string precision = "torch-default";
  bool vendor = false;  // as RunOptions has it
  std::filesystem::path database = "kbench.sqlite";
  std::optional<std::filesystem::path> exchange;
  std::string group = kJudgesGroup;    // group of judges in the exchange
  std::optional<std::string> devices;  // in the words of plan/device_choice.hpp
};

// `kbench mcp`.
struct McpOptions : ServeOptions {  // settings of connections mean nothing here
  std::string print;                // "mcp" or "openai": prints the tools and ends; empty: serves
};

// `kbench episodes list|show`.
struct EpisodesOptions {
  enum class What { kList, kShow };
  What what = What::kList;
  CommonOptions common;
  std::filesystem::path database = "kbench.sqlite";
  std::optional<std::string> run;         // list: a name of store/run_name.hpp; else all
  std::string id;                         // show: the start of one
  std::optional<int> turn;                // show: this one alone, and all of it; from 1
  std::string reward = "milestone_sure";  // a name of reward/reward.hpp
  OutputFormat format = OutputFormat::kTable;
};

// `kbench export`.
struct ExportOptions {
  CommonOptions common;
  std::filesystem::path database = "kbench.sqlite";
  ExportKind kind = ExportKind::kSft;
  std::vector<std::string> runs;                  // names of store/run_name.hpp; none: all
  std::optional<FilterRule> filter;               // else the kind's own
  std::string reward = "milestone_sure";          // a name of reward/reward.hpp
  std::optional<std::filesystem::path> values;    // ppo: what a critic thinks
  std::optional<std::filesystem::path> held_out;  // tasks that no model may be trained on
  std::optional<std::filesystem::path> out;       // else standard output
};

// `kbench agent run`.
struct AgentRunOptions : AgentRunRequest {  // database and trust among it
  CommonOptions common;
  EndpointWords words;
  std::string feedback;  // built-in components of feedback/component.hpp; empty: not said
  std::string reward_name{kDefaultReward};

  AgentRunOptions() { database = "kbench.sqlite"; }
};

// `kbench doctor`.
struct DoctorOptions {
  CommonOptions common;
  OutputFormat format = OutputFormat::kTable;
};

// `kbench selftest timing`.
struct TimingSelftestRequest {
  CommonOptions common;
  std::optional<std::string> device;  // "cpu", "cuda" or "cuda:N"; else what there is
  std::optional<int> rounds;          // runs; else by the device
  OutputFormat format = OutputFormat::kTable;
  std::optional<std::string> devices = std::nullopt;  // in the words of plan/device_choice.hpp
  bool busy = false;                                  // cores without a lane are at work
};

enum class ProfileFormat { kText, kJson, kTrace };

// `kbench profile`.
struct ProfileOptions : ProfileRequest {
  CommonOptions common;      // without its suite, which is the request's
  std::string task_of_file;  // --task
  ProfileFormat format = ProfileFormat::kText;
  std::filesystem::path database = "kbench.sqlite";  // keeps it
  bool no_store = false;
  std::vector<std::string> compare;  // one or two: sides, or ids of stored profiles
  bool list = false;                 // those that are there, in place of making one
};

// `kbench debug`.
struct DebugOptions : DebugRequest {
  CommonOptions common;  // without its suite, which is the request's
  OutputFormat format = OutputFormat::kTable;
};

// `kbench calibrate`.
struct CalibrateRequest : TimingSelftestRequest {
  std::string only;  // "limits", "timing"; empty: both
};

// `kbench selftest sandbox`.
struct SelftestRequest {
  CommonOptions common;
  std::string device = "cpu";        // "cpu", "cuda" or "cuda:N"
  std::vector<std::string> without;  // layers that are not used although they work
  std::vector<std::string> only;     // names of escapes; empty: all
  OutputFormat format = OutputFormat::kTable;
};

// `kbench attribute analyze`.
struct AttributeOptions {
  CommonOptions common;
  std::filesystem::path file;                 // lines of data/schema/cell.schema.json
  std::optional<std::string> outcome;         // primary; else "correct", or the first by name
  std::optional<std::string> arm;             // primary; else the first of direct, plan, both
  std::vector<std::string> by;                // groups that are held against each other
  std::optional<std::filesystem::path> html;  // page to write
  OutputFormat format = OutputFormat::kTable;
};

// `kbench attribute plan|run|report`.
struct StudyOptions {
  enum class What { kPlan, kRun, kReport };
  What what = What::kPlan;
  CommonOptions common;
  std::filesystem::path database = "kbench.sqlite";
  // plan
  std::filesystem::path output = "plan.json";
  PlanRequest planned;
  PlanParts parts;
  // run
  std::filesystem::path plan;
  EndpointWords endpoint, strong;
  std::optional<std::string> device;
  StudyRequest study_run;
  // report
  std::string study;                           // the start of its id; empty: the newest
  std::vector<std::string> by;                 // groups that are held against each other
  std::optional<std::filesystem::path> html;   // page to write
  std::optional<std::filesystem::path> lines;  // all cells, to write
  OutputFormat format = OutputFormat::kTable;
  std::string command_line;
};

// `kbench trajectory import|freeze|list|show`.
struct TrajectoryOptions {
  enum class What { kImport, kFreeze, kList, kShow };
  What what = What::kList;
  CommonOptions common;
  std::filesystem::path database = "kbench.sqlite";
  StateImport imported;
  EpisodesToFreeze frozen;
  std::optional<std::string> run;  // list: a name of store/run_name.hpp; else all
  std::string node;                // show: the start of its id
  OutputFormat format = OutputFormat::kTable;
  std::string command_line;
};

// `kbench db check|backup|prune|vacuum|salvage|merge`.
struct DbOptions {
  enum class What { kCheck, kBackup, kPrune, kVacuum, kSalvage, kMerge };
  What what = What::kCheck;
  CommonOptions common;
  std::filesystem::path database = "kbench.sqlite";  // the file of check, backup, prune and vacuum
  OutputFormat format = OutputFormat::kTable;        // check and prune only
  bool quick = false;                                // check: see CheckRequest
  std::filesystem::path from;                        // salvage: the damaged file
  std::filesystem::path to;                          // backup, salvage, merge: where it goes
  std::vector<std::filesystem::path> others;         // merge: what is taken from
  bool lint = false;                                 // merge: take what lint found, too
  std::optional<std::filesystem::path> exchange;     // merge: in place of others
  std::string group;                                 // merge: of that exchange
  bool watch = false;                                // merge: look again and again
  int keep_days = 0;                                 // prune
  bool keep_good = false;                            // prune
  bool dry_run = false;                              // prune
};

// `kbench exchange init|check|prune`.
struct ExchangeOptions {
  enum class What { kInit, kCheck, kPrune };
  What what = What::kInit;
  CommonOptions common;
  std::filesystem::path folder;
  std::string group;                           // check only; empty: no machines are compared
  OutputFormat format = OutputFormat::kTable;  // check only
  PruneExchange prune;
};

// `kbench help TOPIC`.
struct HelpRequest {
  CommonOptions common;
  std::string topic;  // one of manual_topics(); empty: lists them
};

}  // namespace kbench
