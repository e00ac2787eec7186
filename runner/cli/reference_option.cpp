#include "runner/cli/reference_option.hpp"

#include <unistd.h>

#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "runner/cli/progress.hpp"
#include "runner/import/lowering_setup.hpp"
#include "runner/import/reference.hpp"
#include "runner/installation/python_facts.hpp"
#include "runner/installation/torch_search.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"

namespace kbench {
namespace {

constexpr int kMemoryGib = 12;  // as `kbench import` takes by default
constexpr std::chrono::seconds kCpuLimit{120};

Result<LoweringSetup> set_up_lowering(const Installation& installation) {
  const auto complete = with_torch(installation, process_environment(), ask_for_torch);
  if (!complete) return complete.error();
  if (complete->python.empty())
    return Error{ErrorCode::kInfrastructure, complete->python_reason,
                 "a reference is read by a Python with torch 2.9 or newer; KBENCH_TORCH names one"};
  const auto facts = ask_python(complete->python);
  if (!facts) return facts.error();
  return lowering_setup(*complete, *facts, kMemoryGib);
}

}  // namespace

Result<RunOptions> with_reference(const RunOptions& options, const Installation& installation) {
  if (!options.reference) return options;
  if (options.size && *options.size != "full")
    return Error{ErrorCode::kUsage,
                 fmt::format("--size {}: a reference has its own size only, which is called full",
                             printable(*options.size)),
                 "leave --size out, or change the sizes in the reference"};
  if (installation.state.empty())
    return Error{ErrorCode::kUsage, "there is no folder to keep the reference's task in",
                 "set HOME or XDG_STATE_HOME, or import it yourself: kbench import ref.py --out "
                 "SUITE, then kbench run FILE --suite SUITE --task NAME"};
  Progress progress(stderr, inspect_terminal(STDERR_FILENO, options.common.color),
                    options.common.verbosity);
  InterruptGuard guard;
  LoweringOptions lowering;
  lowering.mode = "batch-stats";  // as `kbench import` by default
  lowering.processes = 1;
  lowering.cpu_limit = kCpuLimit;
  lowering.tick = [&] { progress.tick(); };
  lowering.stop = [&] { return guard.interrupted(); };
  const std::unique_ptr<Sandbox> sandbox = make_sandbox();
  if (const auto& level = sandbox->level(false); !level.bubblewrap)
    progress.warn(fmt::format(
        "the sandbox here is weak ({}): give only a reference that you would run yourself",
        level.to_string()));
  const auto reference = take_reference(
      *sandbox, [&] { return set_up_lowering(installation); }, *options.reference,
      installation.state / "references", lowering);
  if (!reference) return reference.error();
  progress.note(fmt::format("the reference is the task {} of the suite {}{}", reference->task,
                            printable(reference->suite.string()),
                            reference->found ? ", imported before" : ""));
  if (!reference->note.empty()) progress.note(printable(reference->note));
  RunOptions made = options;
  made.suite = reference->suite;
  made.tasks = {reference->task};
  return made;
}

}  // namespace kbench
