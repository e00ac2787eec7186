#include "runner/import/reference_session.hpp"

#include <chrono>
#include <memory>

#include <fmt/format.h>

#include "runner/import/lowering_setup.hpp"
#include "runner/installation/python_facts.hpp"
#include "runner/installation/torch_search.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"

namespace kbench {
namespace {

constexpr int kMemoryGib = 12;  // the default of `kbench import`
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

Result<KeptReference> import_reference(const std::filesystem::path& file,
                                       const Installation& installation, ProgressSink& progress) {
  if (installation.state.empty())
    return Error{ErrorCode::kUsage, "there is no folder to keep the reference's task in",
                 "set HOME or XDG_STATE_HOME, or import it yourself: kbench import ref.py --out "
                 "SUITE, then kbench run FILE --suite SUITE --task NAME"};
  InterruptGuard guard;
  LoweringOptions lowering;
  lowering.mode = "batch-stats";  // the default of `kbench import`
  lowering.processes = 1;
  lowering.cpu_limit = kCpuLimit;
  lowering.tick = [&] { progress.tick(); };
  lowering.stop = [&] { return guard.interrupted(); };
  const std::unique_ptr<Sandbox> sandbox = make_sandbox();
  if (const auto& level = sandbox->level(false); !level.bubblewrap)
    progress.warn(fmt::format(
        "the sandbox here is weak ({}): give only a reference that you would run yourself",
        level.to_string()));
  auto reference = take_reference(
      *sandbox, [&] { return set_up_lowering(installation); }, file,
      installation.state / "references", lowering);
  if (!reference) return reference.error();
  progress.note(fmt::format("the reference is the task {} of the suite {}{}", reference->task,
                            printable(reference->suite.string()),
                            reference->found ? ", imported before" : ""));
  if (!reference->note.empty()) progress.note(printable(reference->note));
  return reference;
}

}  // namespace kbench
