#include "runner/judge/kernel_words.hpp"

#include <utility>

#include "runner/backend/cuda_probe.hpp"
#include "runner/backend/target.hpp"
#include "runner/device/measuring_lock.hpp"
#include "runner/feedback/analyzer.hpp"
#include "runner/feedback/debugger.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/submission/source_files.hpp"
#include "runner/task/task_sizes.hpp"

namespace kbench {
namespace {

constexpr const char* kAgent = "feedback";  // whom the staged copy belongs to

Target target_of(const std::string& device) {
  Target target;
  target.device = device;
  if (device != "cuda") return target;
  const auto gpus = probe_gpus();
  if (!gpus.empty()) target.gpu = gpus.front();
  return target;
}

ProbePlace probe_place(const JudgingPlace& place, const Target& target) {
  Toolchain toolchain = place.device.toolchain();
  if (target.gpu) toolchain.cuda_architecture = cuda_architecture(target.gpu->compute_capability);
  const Installation& installation = place.device.installation();
  return {*place.device.sandbox(), std::move(toolchain), installation.abi,
          installation.root / "data/probe"};
}

Result<CommandReport> debug(const ProbePlace& probe, const ProbedKernel& kernel,
                            const Target& target, const JudgingPlace& place) {
  const LockRequest request{.installation = &place.device.installation(),
                            .target = &target,
                            .what = "the debugger of a kernel",
                            .turn_only = true};
  const auto lock = take_measuring_lock(request);
  if (!lock) return lock.error();
  return debugger_report(probe, kernel);
}

}  // namespace

Result<CommandReport> kernel_words(const Component& component, const KernelTree& tree,
                                   const WorkspaceTask& task, const JudgingPlace& place) {
  const auto staged = stage_tree(tree, task, kAgent);
  if (!staged) return staged.error();
  const auto submission = submission_in({*staged, task, place});
  if (!submission) return CommandReport{"answered", submission.error().message};
  const auto files = read_source_files(*submission);
  if (!files) return CommandReport{"answered", files.error().message};
  const auto loaded =
      find_task(place.suite, {}, task.task, place.device.installation(), task.precision);
  if (!loaded) return loaded.error();
  const auto size = choose_size(*loaded, task.size, task.size);
  if (!size) return size.error();
  place.device.prepare();
  const Target target = target_of(task.device);
  const ProbePlace probe = probe_place(place, target);
  const ProbedKernel kernel{*submission, *files, *loaded, probed_size(*loaded, **size)};
  return component.name == "debugger" ? debug(probe, kernel, target, place)
                                      : analyzer_report(probe, kernel);
}

}  // namespace kbench
