#include "runner/judge/workspace_requests.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/strict_json.hpp"
#include "runner/device/calibrated_limits.hpp"
#include "runner/device/calibration_file.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/run/run_session.hpp"
#include "runner/store/store.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/submission/load_fault.hpp"
#include "runner/submission/source_files.hpp"
#include "runner/task/task_header.hpp"
#include "runner/task/task_sizes.hpp"
#include "runner/task/working_type.hpp"
#include "runner/workspace/tool_result.hpp"

namespace kbench {
namespace {

// Architecture for a machine without a GPU. A kernel is compiled for it all the same: registers and
// spills are known without any.
constexpr const char* kUsualArchitecture = "90a";
constexpr std::size_t kMostTextBytes = 1u << 20;

std::string architecture_here() {
  const auto gpus = probe_gpus();
  const std::string found = gpus.empty() ? "" : cuda_architecture(gpus.front().compute_capability);
  return found.empty() ? kUsualArchitecture : found;
}

// Errors: kSubmission, whatever is wrong with it.
Result<Submission> find_copy(const KernelRequest& request) {
  auto found = find_submissions(request.kernels.folder.path());
  if (!found) return found.error();
  if (found->submissions.size() == 1) return std::move(found->submissions.front());
  if (found->problems.empty())
    return Error{ErrorCode::kSubmission, "kernels/ is no submission", "SKILL.md shows one"};
  Error error = found->problems.front().error;
  error.code = ErrorCode::kSubmission;
  return error;
}

Status check_device(const Submission& submission, const std::string& device) {
  if (submission.device == device) return Done{};
  return Error{ErrorCode::kSubmission,
               fmt::format("kernels/ has {} file, and this workspace is for {}",
                           submission.device == "cuda" ? "a .cu" : "no .cu", device),
               device == "cuda" ? "CUDA kernels stand in .cu files"
                                : "kernels for a CPU stand in .cpp files"};
}

Result<CompiledSubmission> compile_copy(const KernelRequest& request,
                                        const std::string& architecture) {
  const Installation& installation = request.place.device.installation();
  const auto submission = submission_in(request);
  if (!submission) return submission.error();
  const auto files = read_source_files(*submission);
  if (!files) return Error{ErrorCode::kSubmission, files.error().message, files.error().hint};
  auto task =
      find_task(request.place.suite, {}, request.task.task, installation, request.task.precision);
  if (!task) return Error{ErrorCode::kInfrastructure, task.error().message, task.error().hint};
  const auto size = choose_size(*task, request.task.size, request.task.size);
  if (!size) return Error{ErrorCode::kInfrastructure, size.error().message, size.error().hint};
  if (auto made = create_cache(installation); !made) return made.error();
  request.place.device.prepare();
  Toolchain toolchain = request.place.device.toolchain();
  toolchain.cuda_architecture = architecture;
  const auto sandbox = request.place.device.sandbox();
  Compiler compiler(*sandbox, std::move(toolchain), installation.cache / "submissions",
                    installation.abi);
  compiler.tell(CompilerTells::kResources);
  return compiler.compile(*submission, *files, task_header(*task, **size));
}

// Keeps the one row of a run, and tells another sink of all.
class RowKeeper final : public RunSink {
 public:
  RowKeeper(RunSink& told, KernelRun& kept, bool reports)
      : told_(told), kept_(kept), reports_(reports) {}

  ProgressSink& progress() override { return told_.progress(); }
  Status begin(const Plan& plan) override { return told_.begin(plan); }
  void row(const Evaluation& evaluation, std::span<const Blob> sources) override {
    kept_.row = evaluation;
    kept_.sources.assign(sources.begin(), sources.end());
    told_.row(evaluation, sources);
  }
  Status done(const Store& store, const Run& run) override {
    if (auto told = told_.done(store, run); !told) return told;
    if (!reports_) return Done{};
    auto report = load_report(store, run.id);
    if (!report) return report.error();
    kept_.report = std::move(*report);
    return Done{};
  }

 private:
  RunSink& told_;
  KernelRun& kept_;
  bool reports_;
};

using Facts = std::vector<std::pair<std::string, std::string>>;

// The calibrated limits of the device, and the least time of the task by them; empty without a
// calibration.
Facts limit_facts(const TaskSize& size, const Target& target, const Installation& installation) {
  const auto limits = find_limits(installation.state, describe_device(target));
  if (!limits || !*limits) return {};
  const std::string_view half = half_class_of(size);
  return describe_limits(**limits, size.work, cache_bytes_of(target),
                         half.empty() ? "fp32" : std::string(half));
}

}  // namespace

Result<Submission> submission_in(const KernelRequest& request) {
  auto submission = find_copy(request);
  if (!submission) return submission;
  if (auto fits = check_device(*submission, request.task.device); !fits) return fits.error();
  return submission;
}

Result<TaskPrompt> prompt_of_task(const SuiteFolder& suite, const std::vector<int>& levels,
                                  const std::string& pattern, const PromptRequest& request,
                                  const Installation& installation) {
  auto task = find_task(suite, levels, pattern, installation, request.precision);
  if (!task) return task.error();
  PromptRequest with_limits = request;
  with_limits.more_facts = [&](const TaskSize& size, const Target& target) {
    return limit_facts(size, target, installation);
  };
  return make_task_prompt(std::move(*task), with_limits,
                          {.abi = installation.abi,
                           .examples = installation.examples,
                           .prompts = installation.root / "data/prompt"});
}

// The advice for one device: a line "<!-- cuda -->" or "<!-- cpu -->" begins a part for that device
// alone, and "<!-- all -->" one for both.
std::string parts_for_device(std::string_view text, std::string_view device) {
  std::string kept;
  bool takes = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line == "<!-- cuda -->\n" || line == "<!-- cpu -->\n")
      takes = line.find(device) != line.npos;
    else if (line == "<!-- all -->\n")
      takes = true;
    else if (takes)
      kept += line;
  }
  return kept;
}

Result<WorkspaceTexts> workspace_texts(const TaskPrompt& prompt, const Installation& installation) {
  const auto skill =
      read_bounded_file(installation.root / "data/workspace/SKILL.md", kMostTextBytes);
  if (!skill) return skill.error();
  const auto reference = read_bounded_file(prompt.task.source, kMostTextBytes);
  if (!reference) return reference.error();
  const auto abi = read_bounded_file(installation.abi / "kbench.h", kMostTextBytes);
  if (!abi) return abi.error();
  const TaskSize* size = prompt.task.find_size(prompt.size);
  return WorkspaceTexts{.task_md = prompt.text,
                        .skill_md = parts_for_device(*skill, prompt.device),
                        .reference = *reference,
                        .task_header = task_header(prompt.task, *size),
                        .abi = *abi};
}

Result<InjectionTemplate> shipped_injection(const Installation& installation) {
  const auto text =
      read_bounded_file(installation.root / "data/attribution/injection.json", kMostTemplateBytes);
  if (!text) return text.error();
  return read_injection_template(*text);
}

CompileAnswer compile_kernels(const KernelRequest& request) {
  const std::string architecture = request.task.device == "cuda" ? architecture_here() : "";
  const auto compiled = compile_copy(request, architecture);
  const auto fault = compiled ? find_load_fault(compiled->library) : std::nullopt;
  CompileAnswer answer{compile_result(compiled, fault, request.task.device, architecture)};
  answer.state = *state_from_string(answer.result.at("state").get<std::string>());
  return answer;
}

Result<KernelRun> run_kernels(const KernelRequest& request, const KernelRunOptions& options,
                              RunSink& sink) {
  // A submission for another device is no failure of a run, but it is one here. A folder that is no
  // submission becomes a row that says so.
  if (const auto copy = find_copy(request))
    if (!copy->is_for(request.task.device)) return check_device(*copy, request.task.device).error();
  auto scratch = ScratchFolder::make("kbench-verify");
  if (!scratch) return scratch.error();
  RunRequest run;
  run.suite = request.place.suite;
  run.tasks = {request.task.task};
  run.size = request.task.size;
  run.device = request.task.device;
  run.precision = request.task.precision;
  run.submissions = request.kernels.folder.path();
  run.checks_only = !options.timed;
  run.quick = options.quick;
  run.allow_torch = options.allow_torch;
  run.repeat_busy = true;
  KernelRun done;
  done.terms = {.database = options.database.value_or(scratch->path() / "verify.sqlite"),
                .command_line = options.command_line,
                .stop = options.stop,
                .waits = options.waits};
  RowKeeper keeper(sink, done, options.database.has_value());
  auto outcome = RunSession(request.place.benches, std::move(run), done.terms, keeper).run();
  if (!outcome) return outcome.error();
  done.outcome = std::move(*outcome);
  return done;
}

}  // namespace kbench
