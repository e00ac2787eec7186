// Cost of stopping a sandboxed program and of letting it go on, by its control group and by
// signals. An evaluation does so for every call.
#include <cstdlib>

#include <benchmark/benchmark.h>

#include "runner/sandbox/host.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {
namespace {

void freeze_and_thaw(benchmark::State& state, const SandboxOptions& options) {
  const auto sandbox = make_sandbox(options);
  const auto sleep = find_system_program("sleep");
  if (!sleep) return state.SkipWithError("no program 'sleep'");
  auto process = sandbox->start({.argv = {sleep->string(), "1000"}});
  if (!process) return state.SkipWithError(process.error().message.c_str());
  state.SetLabel(sandbox->level(false).to_string());
  for ([[maybe_unused]] auto _ : state) {
    const auto frozen = (*process)->freeze();
    if (!frozen) return state.SkipWithError(frozen.error().message.c_str());
    const auto known = (*process)->processes();
    const auto thawed = (*process)->thaw();
    if (!known || !thawed) return state.SkipWithError("it did not stand still");
  }
}

BENCHMARK_CAPTURE(freeze_and_thaw, control_group, SandboxOptions{})->UseRealTime();
BENCHMARK_CAPTURE(freeze_and_thaw, signals, SandboxOptions{.use_freezer = false})->UseRealTime();

}  // namespace
}  // namespace kbench
