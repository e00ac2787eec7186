// Has the compiled baselines of a run built, with progress, before anything is measured.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "baselines/builder_pool.hpp"
#include "runner/cli/run_plan.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/measure/oracle.hpp"

namespace kbench {

struct BaselinePackages {
  std::map<std::size_t, PackageResult> by_task;  // index into Plan::tasks
  bool interrupted = false;                      // by Ctrl-C; what was not built says so
};

// A package for each of `tasks`, out of the cache where it is there. `jobs` builders at once,
// without it as many as suit the machine. Errors: those of reading a task's graph, and of making
// the cache folder; a package that cannot be built is a result with a reason. Of `options`:
// precision, jobs, stop.
[[nodiscard]] Result<BaselinePackages> build_baseline_packages(
    const Plan& plan, const std::set<std::size_t>& tasks, const Installation& installation,
    const OracleHello& oracle, const RunOptions& options, Sandbox& sandbox, ProgressSink& progress);

// Whether the cache has the task's package.
[[nodiscard]] bool has_cached_package(const Task& task, const Target& target,
                                      const Installation& installation, const OracleHello& oracle,
                                      const std::string& precision);

}  // namespace kbench
