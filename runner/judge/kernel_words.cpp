#include "runner/judge/kernel_words.hpp"

#include <cstddef>
#include <utility>

#include "runner/feedback/analyzer.hpp"
#include "runner/feedback/debugger.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/submission/source_files.hpp"
#include "runner/task/task_sizes.hpp"

namespace kbench {
namespace {

constexpr const char* kAgent = "feedback";  // owner of the staged copy
constexpr std::size_t kLongestMessage = 1000;

Target target_of(const std::string& device) {
  Target target;
  target.device = device;
  if (device != "cuda") return target;
  const auto gpus = probe_gpus();
  if (!gpus.empty()) target.gpu = gpus.front();
  return target;
}

ProbePlace probe_place(DeviceSession& device, const Target& target) {
  Toolchain toolchain = device.toolchain();
  if (target.gpu) toolchain.cuda_architecture = cuda_architecture(target.gpu->compute_capability);
  const Installation& installation = device.installation();
  return {*device.sandbox(), std::move(toolchain), installation.abi,
          installation.root / "data/probe"};
}

// The component's report on a submission that was read without errors.
Result<CommandReport> words_of(std::string_view component, const Submission& submission,
                               const KernelRequest& request,
                               const std::function<void(const std::optional<DeviceWait>&)>& waits) {
  const JudgingPlace& place = request.place;
  const WorkspaceTask& task = request.task;
  const auto files = read_source_files(submission);
  if (!files) return Error{ErrorCode::kSubmission, files.error().message, files.error().hint};
  const auto loaded =
      find_task(place.suite, {}, task.task, place.device.installation(), task.precision);
  if (!loaded) return loaded.error();
  const auto size = choose_size(*loaded, task.size, task.size);
  if (!size) return size.error();
  place.device.prepare();
  const Target target = target_of(task.device);
  const ProbedKernel kernel{submission, *files, *loaded, probed_size(*loaded, **size)};
  return component == "debugger"
             ? debugger_in_turn(kernel, target, place.device, {.what = {}, .waits = waits})
             : analyzer_report(probe_place(place.device, target), kernel);
}

// The answer for a report that was asked for and did not come. A kernel that could not be looked at
// has a report.
SpokenKernels refused(const Error& error) {
  const bool theirs = error.code == ErrorCode::kSubmission || error.code == ErrorCode::kBadInput;
  const State state = theirs ? State::kSubmissionError : State::kInfrastructureError;
  return {.result = {{"state", to_string(state)},
                     {"message", "no report: " + clean_text(error.message, kLongestMessage)},
                     {"hint", clean_text(error.hint, kLongestMessage)},
                     {"report", nullptr}},
          .state = state};
}

SpokenKernels answer_of(const CommandReport& report) {
  if (report.status == kToolMissing)
    return refused({ErrorCode::kInfrastructure, report.text, kDoctorSays});
  return {.result = {{"state", to_string(State::kOk)},
                     {"message", ""},
                     {"hint", ""},
                     {"report", {{"status", report.status}, {"text", report.text}}}},
          .state = State::kOk};
}

}  // namespace

Result<CommandReport> debugger_in_turn(const ProbedKernel& kernel, const Target& target,
                                       DeviceSession& device, LockRequest how) {
  how.installation = &device.installation();
  how.target = &target;
  how.what = "the debugger of a kernel";
  how.turn_only = true;
  const auto lock = take_measuring_lock(how);
  if (!lock) return lock.error();
  return debugger_report(probe_place(device, target), kernel);
}

Result<CommandReport> kernel_words(const Component& component, const KernelTree& tree,
                                   const WorkspaceTask& task, const JudgingPlace& place) {
  const auto staged = stage_tree(tree, task, kAgent);
  if (!staged) return staged.error();
  const KernelRequest request{*staged, task, place};
  const auto submission = submission_in(request);
  if (!submission) return CommandReport{"answered", submission.error().message};
  auto words = words_of(component.name, *submission, request, {});
  if (!words && words.error().code == ErrorCode::kSubmission)
    return CommandReport{"answered", words.error().message};
  return words;
}

std::string_view component_of_tool(std::string_view tool) {
  return tool == "debug" ? "debugger" : tool == "analyze" ? "analyzer" : "";
}

SpokenKernels spoken_kernels(std::string_view component, const KernelRequest& request,
                             const std::function<void(const std::optional<DeviceWait>&)>& waits) {
  const auto submission = submission_in(request);
  if (!submission) return refused(submission.error());
  const auto report = words_of(component, *submission, request, waits);
  return report ? answer_of(*report) : refused(report.error());
}

}  // namespace kbench
