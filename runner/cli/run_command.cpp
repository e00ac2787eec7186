#include <fmt/format.h>

#include "reports/write/outputs.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/run_checks.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/device/device_session.hpp"
#include "runner/import/reference_session.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/print/plan_text.hpp"
#include "runner/run/announced_plan.hpp"
#include "runner/run/rerun.hpp"
#include "runner/run/run_session.hpp"

namespace kbench {
namespace {

Result<End> perform(const RunOptions& given, const Installation& installation) {
  const auto options = check_run_options(given);
  if (!options) return options.error();
  DeviceSession device(installation, SessionTurns::kOne);
  const CommonOptions& common = options->common;
  ReportingFace face(common.color, common.verbosity, reports_of(*options, installation));
  const auto outcome = RunSession(device, *options, *options, face).run();
  if (!outcome) return outcome.error();
  if (outcome->nothing_selected) return *outcome->nothing_selected;
  return end_of_run(*outcome, *options, options->exit_zero, written_files(options->outputs));
}

// The plan of a run, with the durations that the database has of earlier ones. Nothing is compiled,
// started, waited for or written. What the run would be refused for before it starts anything is an
// error here as well.
Result<End> show_plan(const RunOptions& given, const Installation& installation) {
  const auto options = check_run_options(given);
  if (!options) return options.error();
  const auto json = plan_as_json(options->outputs);
  if (!json) return json.error();
  const auto plan = plan_run(*options, *options, installation);
  if (!plan) return plan.error();
  if (plan->nothing_selected) return *plan->nothing_selected;
  if (auto shown = check_shown(options->outputs, *plan); !shown) return shown.error();
  const auto rows = foresee_rows(*plan, *options, *options);
  if (!rows) return rows.error();
  Progress progress(stderr, Terminal{}, options->common.verbosity);
  announce_plan(*plan, progress);
  if (*json)
    print_json(foreseen_json(*plan, *rows, *options));
  else
    fmt::print("{}", foreseen_text(*plan, *rows, output_style(options->common)));
  return good(foreseen_words(*rows, options->order));
}

// The options with the tasks that --input-file lists, or with the one that --reference becomes.
Result<RunOptions> with_tasks_of_files(RunOptions options, const Installation& installation) {
  auto listed = add_task_list(options.input_file, options.suite, installation, options.tasks);
  if (!listed) return listed.error();
  if (!options.reference) return options;
  if (options.size && *options.size != "full")
    return Error{ErrorCode::kUsage,
                 fmt::format("--size {}: a reference has its own size only, which is called full",
                             *options.size),
                 "leave --size out, or change the sizes in the reference"};
  Progress progress = progress_of(options.common);
  const auto reference = import_reference(*options.reference, installation, progress);
  if (!reference) return reference.error();
  options.suite = reference->suite;
  options.tasks = {reference->task};
  return options;
}

// Options for how failed submissions affect the run.
void add_failures(CLI::App& run, RunOptions& options) {
  auto* most = add_number(run, "--max-fail", options.max_failures, 1, 1'000'000,
                          "Stop after N submissions that failed; --resume goes on");
  run.add_flag_function(
         "--fail-fast",
         [&options](std::int64_t count) {
           if (count > 0) options.max_failures = 1;
         },
         "Stop after the first submission that failed: --max-fail 1")
      ->excludes(most);
  run.add_flag("--exit-zero", options.exit_zero,
               "Exit with 0 instead of 1 if submissions failed; the rows still say so");
}

// Options that choose which rows of an earlier run are tried once more.
void add_reruns(CLI::App& run, RunOptions& options, CLI::Option& resume) {
  auto* states = run.add_option("--rerun", options.rerun,
                                "Run again the newest run's rows with these states "
                                "(timeout,crash); --run names another run")
                     ->check(one_of(rerun_words()).description(""))
                     ->delimiter(',')
                     ->allow_extra_args(false)
                     ->type_name("STATE")
                     ->excludes(&resume);
  run.add_flag_function(
         "--last-failed",
         [&options](std::int64_t count) {
           if (count > 0) options.rerun = {kFailedRows};
         },
         "Run again what failed in the newest run, with that run's options; same as --rerun failed")
      ->excludes(states)
      ->excludes(&resume);
  add_value(run, "--run", options.rerun_of, "RUN",
            "The run that --last-failed and --rerun look at (default: the newest)")
      ->excludes(&resume);
}

}  // namespace

// Options for what is measured, and how: those of both `run` and `nightly`.
WhoseSubmissions add_measuring(CLI::App& app, RunOptions& options) {
  add_levels(app, options.levels,
             "Tasks of a level, or of several: 1,2 (default: all tasks that have a submission)");
  add_task_globs(app, options.tasks);
  add_tags(app, options.tags);
  app.add_flag(
      "--all-tasks", options.all_tasks,
      "Also take tasks that have no submission; --level, --task and the like take them anyway");
  add_size(
      app, options.size,
      "Size of the tasks (default: full on CUDA, small on CPU; if no task has that, the other)");
  add_device(
      app, options.device,
      "Device (default: cpu for a single .cpp file of `kbench run`, else cuda if there is a GPU)");
  add_devices(app, options.devices);
  add_precision(app, options.precision);
  add_word(
      app, "--profile", options.profile, {"kbench", "kernelbench", "cuda-agent"},
      "Rules for inputs, parameters, tolerance: kbench's or another benchmark's (default: kbench)");
  add_allow_torch(app, options.allow_torch);
  const auto whose = add_whose(app, options);
  add_number(app, "--jobs", options.jobs, 1, 256,
             "Submissions and baselines compiled at once (default: by the number of cores)");
  add_number(app, "--budget", options.budget_seconds, kLeastBudgetSeconds, kMostBudgetSeconds,
             "Seconds that loading and all calls of a submission may take together (default: 180)",
             "SECONDS");
  add_call_limit(app, options.call_limit_seconds,
                 "Seconds that one call may take (default: by eager's time, at most 60)");
  app.add_flag("--quick", options.quick, "Check in full, but time briefly: a wide interval");
  return whose;
}

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  auto& run = add_verb(app, "run", "Check and time kernels beside PyTorch, store everything");
  auto* file =
      add_path(run, "FILE", options.file, "",
               "A single submission (.cpp, .cu, .py); add --task unless the file is named like a "
               "task");
  add_value(run, "--name", options.name, "NAME",
            "Author (agent) of FILE (default: me, or the folder AGENT of AGENT/levelN/FILE)");
  const auto whose = add_measuring(run, options);
  add_path(run, "--input-file", options.input_file, "FILE",
           "File of tasks, one per line, each as --task takes it; # begins a comment; -: stdin");
  add_path(run, "--reference", options.reference, "REF.py",
           "KernelBench problem of your own that FILE solves; imported once and kept")
      ->needs(file)
      ->excludes(run.get_option("--task"))
      ->excludes(run.get_option("--tag"))
      ->excludes(run.get_option("--input-file"))
      ->excludes(run.get_option("--level"));
  whose.submissions->excludes(file);
  whose.agent->excludes(file);
  auto* baselines = run.add_flag("--baselines-only", options.baselines_only,
                                 "Time the baselines alone, no submission")
                        ->excludes(file);
  run.add_flag("--checks-only", options.checks_only,
               "Judge without timing: no baseline is compiled, and no row is ever ranked")
      ->excludes(baselines);
  add_vendor(run, options.vendor);
  run.add_flag(
      "--no-lint", options.no_lint,
      "Do not look for flaws in tasks that are not shipped; rows of unchecked tasks do not rank");
  add_number(run, "--seed", options.seed, 0, 1e15,
             "Draw the same inputs in each run; such rows are labelled and not ranked");
  add_choice<UnitOrder>(run, "--order", options.order,
                        {{"task", UnitOrder::kTask},
                         {"shuffled", UnitOrder::kShuffled},
                         {"longest", UnitOrder::kLongest}},
                        "Order of the rows; longest: by durations of earlier runs (default: task)");
  auto* shard =
      add_parsed(run, "--shard", options.shard, parse_shard, "I/N",
                 "Only the I-th of N parts of the tasks; give every part the same --group");
  shard->excludes(file);
  auto* group =
      run.add_option("--group", options.group, "Name that the shards of one run have in common");
  group->type_name("NAME")->needs(shard);
  shard->needs(group);
  add_path(run, "--exchange", options.exchange, "DIR",
           "Folder in which runs of a group share rows, so that each row is measured only once");
  run.add_flag("--no-wait", options.no_wait,
               "Exit with code 3 instead of waiting for another run on this device");
  add_failures(run, options);
  run.add_flag("--dry-run", options.dry_run,
               "Print what would run, as a table or with --format json; start and write nothing");
  add_word(run, "--format", options.words.format, format_names(),
           "Results on standard output (default: table, a single row as a card; GitHub Actions: "
           "github)");
  run.add_flag_function(
         "--json", [&options](std::int64_t) { options.words.format = "json"; },
         "The same as --format json")
      ->excludes(run.get_option("--format"));
  add_outputs(run, options.words);
  add_variants(run, options.variants);
  add_trust(run, options.common.trust);
  add_database(run, options.database);
  auto* resume = run.add_option_function<std::string>(
                        "--resume", [&options](const std::string& name) { options.resume = name; },
                        "Continue a run, by its tag or the start of its id (default: the newest)")
                     ->expected(0, 1)
                     ->default_str("latest")  // value of the option without an argument
                     ->type_name("[RUN]");
  add_reruns(run, options, *resume);
  add_html(run, options.words, "the database");
  add_wide(run, options.common);
  add_suite(run, options.suite);
  add_common(run, options.common, false);
  return &run;
}

Result<End> call(const RunOptions& given, const Installation& installation) {
  const auto options = with_tasks_of_files(given, installation);
  if (!options) return options.error();
  return given.dry_run ? show_plan(*options, installation) : perform(*options, installation);
}

}  // namespace kbench
