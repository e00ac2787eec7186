#include "runner/cli/workspace_requests.hpp"

#include <cstddef>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "runner/backend/cuda_probe.hpp"
#include "runner/cli/run_face.hpp"
#include "runner/measure/secret.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/run/run_session.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/store.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/submission/source_files.hpp"
#include "runner/task/strict_json.hpp"
#include "runner/task/task_header.hpp"
#include "runner/task/task_sizes.hpp"
#include "runner/workspace/tool_result.hpp"

namespace kbench {
namespace {

// Where nobody has a GPU, a kernel is compiled for this one all the same: registers and spills are
// known without any.
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
  const Installation& installation = request.device.installation();
  const auto submission = submission_in(request);
  if (!submission) return submission.error();
  const auto files = read_source_files(*submission);
  if (!files) return Error{ErrorCode::kSubmission, files.error().message, files.error().hint};
  auto task = find_task(request.common.suite, {}, request.task.task, installation);
  if (!task) return Error{ErrorCode::kInfrastructure, task.error().message, task.error().hint};
  const auto size = choose_size(*task, request.task.size, request.task.size);
  if (!size) return Error{ErrorCode::kInfrastructure, size.error().message, size.error().hint};
  if (auto made = create_cache(installation); !made) return made.error();
  request.device.prepare();
  Toolchain toolchain = request.device.toolchain();
  toolchain.cuda_architecture = architecture;
  const auto sandbox = request.device.sandbox();
  Compiler compiler(*sandbox, std::move(toolchain), installation.cache / "submissions",
                    installation.abi);
  compiler.tell(CompilerTells::kResources);
  return compiler.compile(*submission, *files, task_header(*task, **size));
}

Result<ReportData> load_run(const RunTerms& run, const Installation& installation) {
  auto store = Store::open(run.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  if (auto key = read_chain_key(installation.state)) store->use(std::move(*key));
  return load_report(*store, run.id);
}

}  // namespace

Result<Submission> submission_in(const KernelRequest& request) {
  auto submission = find_copy(request);
  if (!submission) return submission;
  if (auto fits = check_device(*submission, request.task.device); !fits) return fits.error();
  return submission;
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
                        .skill_md = *skill,
                        .reference = *reference,
                        .task_header = task_header(prompt.task, *size),
                        .abi = *abi};
}

CompileAnswer compile_kernels(const KernelRequest& request) {
  const std::string architecture = request.task.device == "cuda" ? architecture_here() : "";
  const auto compiled = compile_copy(request, architecture);
  CompileAnswer answer{compile_result(compiled, request.task.device, architecture)};
  answer.state = *state_from_string(answer.result.at("state").get<std::string>());
  return answer;
}

Result<KernelRun> run_kernels(const KernelRequest& request, const KernelRunOptions& options) {
  // What is for another device is no failure of a run, but it is one here. What is no submission
  // becomes a row that says so.
  if (const auto copy = find_copy(request))
    if (!copy->is_for(request.task.device)) return check_device(*copy, request.task.device).error();
  auto scratch = ScratchFolder::make("kbench-verify");
  if (!scratch) return scratch.error();
  RunRequest run;
  run.suite = request.common.suite;
  run.tasks = {request.task.task};
  run.size = request.task.size;
  run.device = request.task.device;
  run.submissions = request.kernels.folder.path();
  run.checks_only = !options.database;
  run.quick = options.quick;
  run.allow_torch = options.allow_torch;
  run.repeat_busy = true;
  const RunTerms terms{.database = options.database.value_or(scratch->path() / "verify.sqlite"),
                       .id = random_id(),  // there may be several at once
                       .command_line = options.command_line,
                       .stop = options.stop};
  RunFace face(request.common);
  const auto outcome = RunSession(request.device, run, terms, face).run();
  if (!outcome) return outcome.error();
  KernelRun done{end_of_run(*outcome, terms), {}};
  auto data = load_run(terms, request.device.installation());
  if (!data) return data.error();
  done.data = std::move(*data);
  return done;
}

}  // namespace kbench
