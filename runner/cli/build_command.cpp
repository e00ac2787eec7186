#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/print/build_text.hpp"

namespace kbench {
namespace {

ExitCode code_of(const BuiltPlan& built) {
  if (built.interrupted) return ExitCode::kInterrupted;
  if (built.count(BuiltRow::State::kUnable) > 0) return ExitCode::kInfrastructure;
  const bool failed = built.count(BuiltRow::State::kFailed) > 0;
  return failed ? ExitCode::kTaskFailed : ExitCode::kGood;
}

}  // namespace

CLI::App* add_build(CLI::App& app, BuildOptions& options) {
  auto& build = add_verb(app, "build", "Compile ahead what a run will need; needs no GPU");
  auto* file =
      add_path(build, "FILE", options.run.file, "", "A single submission, as of kbench run");
  add_value(build, "--name", options.run.name, "NAME", "Its author (agent), as of kbench run");
  add_levels(build, options.run.levels);
  add_task_globs(build, options.run.tasks);
  add_tags(build, options.run.tags);
  build.add_flag(
      "--all-tasks", options.run.all_tasks,
      "Count tasks without a submission among those that --shard divides, as a run does");
  add_path(build, "--input-file", options.input_file, "FILE", "File of tasks, one per line");
  add_size(build, options.run.size);
  add_device(build, options.run.device,
             "Device of the run (default: cuda with --arch or where there is a GPU, else cpu)");
  add_value(build, "--arch", options.architecture, "ARCH",
            "Architecture of its GPU, 90a for an H100 (default: that of the GPU here)");
  add_precision(build, options.run.precision);
  const auto whose = add_whose(build, options.run);
  for (auto* option : {whose.submissions, whose.agent}) option->excludes(file);
  add_parsed(build, "--shard", options.run.shard, parse_shard, "I/N",
             "Only the I-th of N parts of the tasks")
      ->excludes(file);
  add_path(build, "--exchange", options.exchange, "DIR",
           "Exchange: the libraries also go into its cache, where other machines find them");
  add_number(build, "--jobs", options.jobs, 1, 256,
             "Submissions compiled at once (default: by the number of cores)");
  add_json(build, options.format);
  add_suite(build, options.run.suite);
  add_common(build, options.common, false);
  return &build;
}

Result<End> call(const BuildOptions& options, const Installation& installation) {
  BuildRequest request = options;
  RunRequest& run = request.run;
  auto listed = add_task_list(options.input_file, run.suite, installation, run.tasks);
  if (!listed) return listed.error();
  Progress progress = progress_of(options.common);
  const auto built = build_plan(request, installation, progress);
  if (!built) return built.error();
  if (built->nothing_selected) return *built->nothing_selected;
  print_found(options, *built, build_json, build_text);
  return End{code_of(*built), build_words(*built)};
}

}  // namespace kbench
