#include "runner/cli/workspace_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reports/json_report.hpp"
#include "reports/model.hpp"
#include "runner/backend/cuda_probe.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/run_command.hpp"
#include "runner/cli/task_choice.hpp"
#include "runner/cli/tasks_command.hpp"
#include "runner/core/json.hpp"
#include "runner/measure/secret.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/reward/reward.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/store.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/submission/source_files.hpp"
#include "runner/task/strict_json.hpp"
#include "runner/task/task_header.hpp"
#include "runner/workspace/tool_result.hpp"
#include "runner/workspace/workspace.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using What = WorkspaceRequest::What;

constexpr std::size_t kMostTextBytes = 1u << 20;
// Where nobody has a GPU, a kernel is compiled for this one all the same: registers and spills are
// known without any.
constexpr const char* kUsualArchitecture = "90a";

std::string_view name_of(What what) {
  switch (what) {
    case What::kOpen: return "open";
    case What::kCompile: return "compile";
    case What::kVerify: return "verify";
    case What::kSubmit: return "submit";
  }
  return "open";
}

// One request in one workspace.
class Asked {
 public:
  Asked(const WorkspaceRequest& request, const Installation& installation)
      : what_(request.what), options_(request.options), installation_(installation) {}

  int answer() {
    auto workspace = read_workspace(options_.folder);
    if (!workspace) return complain(workspace.error());
    workspace_ = std::move(*workspace);
    if (auto apart = check_database(); !apart) return complain(apart.error());
    auto staged = stage_kernels(options_.folder, workspace_, agent());
    if (!staged) return complain(staged.error());
    staged_ = std::move(*staged);
    return what_ == What::kCompile ? compile() : judge();
  }

 private:
  [[nodiscard]] std::string agent() const {
    if (what_ != What::kSubmit) return "workspace";  // nobody reads it
    if (!options_.agent.empty()) return options_.agent;
    std::error_code failed;
    const fs::path folder = fs::weakly_canonical(options_.folder, failed);
    return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  }

  // Whoever works in the folder could write to what lies in it.
  Status check_database() const {
    if (what_ != What::kSubmit) return Done{};
    std::error_code failed;
    const fs::path folder = fs::weakly_canonical(options_.folder, failed);
    const fs::path database = fs::weakly_canonical(fs::absolute(options_.database), failed);
    if (std::mismatch(folder.begin(), folder.end(), database.begin(), database.end()).first !=
        folder.end())
      return Done{};
    return Error{ErrorCode::kUsage,
                 fmt::format("the database {} lies in the workspace, where its agent writes",
                             clean_name(options_.database.string(), 300)),
                 "name one elsewhere: --db FILE"};
  }

  // --- compile ---

  int compile() {
    auto compiled = compile_copy();
    const Json result = compile_result(compiled, workspace_.device, architecture_);
    return print(result, *state_from_string(result.at("state").get<std::string>()));
  }

  Result<CompiledSubmission> compile_copy() {
    auto submission = find_copy();
    if (!submission) return submission.error();
    if (auto fits = check_device(*submission); !fits) return fits.error();
    const auto files = read_source_files(*submission);
    if (!files) return Error{ErrorCode::kSubmission, files.error().message, files.error().hint};
    const TasksOptions options = task_options();
    auto task = find_task(options, installation_);
    if (!task) return Error{ErrorCode::kInfrastructure, task.error().message, task.error().hint};
    const auto size = choose_size(*task, options.size, workspace_.size);
    if (!size) return Error{ErrorCode::kInfrastructure, size.error().message, size.error().hint};
    if (auto made = create_cache(installation_); !made) return made.error();
    Toolchain toolchain = find_toolchain();
    if (workspace_.device == "cuda") toolchain.cuda_architecture = architecture_ = architecture();
    const auto sandbox = make_sandbox();
    Compiler compiler(*sandbox, std::move(toolchain), installation_.cache / "submissions",
                      installation_.abi);
    compiler.tell(CompilerTells::kResources);
    return compiler.compile(*submission, *files, task_header(*task, **size));
  }

  // Errors: kSubmission, whatever is wrong with it.
  Result<Submission> find_copy() const {
    auto found = find_submissions(staged_.folder.path());
    if (!found) return found.error();
    if (found->submissions.size() == 1) return std::move(found->submissions.front());
    if (found->problems.empty())
      return Error{ErrorCode::kSubmission, "kernels/ is no submission", "SKILL.md shows one"};
    Error error = found->problems.front().error;
    error.code = ErrorCode::kSubmission;
    return error;
  }

  [[nodiscard]] Status check_device(const Submission& submission) const {
    if (submission.device == workspace_.device) return Done{};
    return Error{ErrorCode::kSubmission,
                 fmt::format("kernels/ has {} file, and this workspace is for {}",
                             submission.device == "cuda" ? "a .cu" : "no .cu", workspace_.device),
                 workspace_.device == "cuda" ? "CUDA kernels stand in .cu files"
                                             : "kernels for a CPU stand in .cpp files"};
  }

  static std::string architecture() {
    const auto gpus = probe_gpus();
    const std::string found =
        gpus.empty() ? "" : cuda_architecture(gpus.front().compute_capability);
    return found.empty() ? kUsualArchitecture : found;
  }

  [[nodiscard]] TasksOptions task_options() const {
    TasksOptions options;
    options.common = options_.common;
    options.task = workspace_.task;
    options.size = workspace_.size;
    return options;
  }

  // --- verify and submit: a run of one row ---

  int judge() {
    // What is for another device is no failure of a run, but it is one here. What is no submission
    // becomes a row that says so.
    if (const auto copy = find_copy())
      if (auto fits = check_device(*copy); !fits) return complain(fits.error());
    auto scratch = ScratchFolder::make("kbench-verify");
    if (!scratch) return complain(scratch.error());
    RunOptions run;
    run.id = random_id();  // there may be several at once
    run.common = options_.common;
    run.tasks = {workspace_.task};
    run.size = workspace_.size;
    run.device = workspace_.device;
    run.submissions = staged_.folder.path();
    run.checks_only = what_ == What::kVerify;
    run.database = run.checks_only ? scratch->path() / "verify.sqlite" : options_.database;
    run.command_line = fmt::format("kbench workspace {} {}", name_of(what_),
                                   clean_name(options_.folder.string(), 300));
    const int status = run_command(run, installation_);
    auto data = load_run(run);
    if (!data || data->evaluations.empty()) {
      print_line(error_result(
          {ErrorCode::kInfrastructure, "nothing was judged", "the messages of the judge say why"}));
      return status;
    }
    const Evaluation& evaluation = data->evaluations.front();
    return print(what_ == What::kVerify ? verify_result(evaluation) : submitted(*data),
                 evaluation.state);
  }

  Result<ReportData> load_run(const RunOptions& run) const {
    auto store = Store::open(run.database, Store::Mode::kReadOnly);
    if (!store) return store.error();
    if (auto key = read_chain_key(installation_.state)) store->use(std::move(*key));
    return load_report(*store, run.id);
  }

  [[nodiscard]] Json submitted(const ReportData& data) const {
    std::optional<RewardRule> rule;
    if (auto found = find_reward(options_.reward)) rule = std::move(*found);
    return {{"run_id", data.run.id},
            {"row", result_json(derive(data, data.evaluations.front()), rule)}};
  }

  // --- answers ---

  void print_line(const Json& result) const {
    Json whole = {{"request", name_of(what_)},
                  {"task", workspace_.task},
                  {"size", workspace_.size},
                  {"device", workspace_.device},
                  {"tree", staged_.tree.empty() ? Json() : Json(staged_.tree)}};
    whole.update(result);
    fmt::print("{}", fit(std::move(whole)));
  }

  int print(const Json& result, State state) const {
    print_line(result);
    const ExitCode code = fault_of(state) == Fault::kInfrastructure ? ExitCode::kInfrastructure
                          : is_failure(state)                       ? ExitCode::kTaskFailed
                                                                    : ExitCode::kGood;
    return finish(code, fmt::format("{}: {}", name_of(what_), to_string(state)),
                  options_.common.verbosity);
  }

  // Nothing could be judged: a mistake of whoever asks, in the folder or on the command line.
  int complain(const Error& error) const {
    print_line(error_result(error));
    return fail(error, inspect_terminal(STDERR_FILENO, options_.common.color));
  }

  What what_;
  const WorkspaceOptions& options_;
  const Installation& installation_;
  WorkspaceTask workspace_;
  StagedKernels staged_;
  std::string architecture_;
};

int open_workspace(const WorkspaceOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  TasksOptions of_task;
  of_task.common = options.common;
  of_task.task = options.task;
  of_task.size = options.size;
  of_task.device = options.device;
  const auto prompt = make_task_prompt(of_task, installation);
  if (!prompt) return fail(prompt.error(), terminal);
  const auto skill =
      read_bounded_file(installation.root / "data/workspace/SKILL.md", kMostTextBytes);
  if (!skill) return fail(skill.error(), terminal);
  const auto reference = read_bounded_file(prompt->task.source, kMostTextBytes);
  if (!reference) return fail(reference.error(), terminal);
  const auto abi = read_bounded_file(installation.abi / "kbench.h", kMostTextBytes);
  if (!abi) return fail(abi.error(), terminal);
  const TaskSize* size = prompt->task.find_size(prompt->size);
  const auto made = make_workspace(options.folder, {prompt->task.id, prompt->size, prompt->device},
                                   {.task_md = prompt->text,
                                    .skill_md = *skill,
                                    .reference = *reference,
                                    .task_header = task_header(prompt->task, *size),
                                    .abi = *abi});
  if (!made) return fail(made.error(), terminal);
  return finish(ExitCode::kGood,
                fmt::format("{} is open for {} at {} on {}; the kernel goes into {}",
                            clean_name(options.folder.string(), 300), prompt->task.id, prompt->size,
                            prompt->device, clean_name((options.folder / "kernels").string(), 300)),
                options.common.verbosity);
}

}  // namespace

int workspace_command(const WorkspaceRequest& request, const Installation& installation) {
  if (request.what == What::kOpen) return open_workspace(request.options, installation);
  return Asked(request, installation).answer();
}

}  // namespace kbench
