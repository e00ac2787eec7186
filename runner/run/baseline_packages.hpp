// Builds the compiled baselines of a run, with progress, before anything is measured.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "baselines/builder_pool.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/exchange/cache_entries.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

struct PackageBuilding {
  std::string precision;
  std::optional<int> jobs;            // builders at once; empty: as many as suit the machine
  std::function<bool()> interrupted;  // asked often
  // The folder in which machines of the pool share packages; empty: none.
  std::optional<CacheEntries> shared = {};
  std::vector<GpuInfo> gpus = {};  // equal GPUs to build on; empty: the plan's alone
};

// A package for each of `tasks` (indices into Plan::tasks), out of the cache where it is there.
// Errors: those of reading a task's graph, and of making the cache folder; a package that cannot be
// built is a result with a reason.
[[nodiscard]] Result<std::map<std::size_t, PackageResult>> build_baseline_packages(
    const Plan& plan, const std::set<std::size_t>& tasks, const Installation& installation,
    const OracleHello& oracle, const PackageBuilding& building, Sandbox& sandbox,
    ProgressSink& progress);

// Whether the cache has the task's package.
[[nodiscard]] bool has_cached_package(const Task& task, const Target& target,
                                      const Installation& installation, const OracleHello& oracle,
                                      const std::string& precision);

// The command of a builder of packages (confined_builder), which confines all that it executes of a
// task, for the selftest that tries to get out. Errors: kInfrastructure, where no Python has torch.
[[nodiscard]] Result<SandboxCommand> builder_command(const Installation& installation,
                                                     const Target& target,
                                                     const std::filesystem::path& scratch);

}  // namespace kbench
