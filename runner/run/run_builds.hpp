// All that a run builds for its units: submissions, compiled in threads of their own, the compiled
// baselines, and whether tasks may rank rows. It has no device of its own: the measuring thread
// asks for the parts of a unit.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/exchange/cache_entries.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/run/bench_order.hpp"
#include "runner/run/python_submissions.hpp"
#include "runner/run/submission_builds.hpp"
#include "runner/run/task_checks.hpp"
#include "runner/run/unit_parts.hpp"
#include "runner/submission/compiler.hpp"

namespace kbench {

class Store;

// The compilers of this machine, for the GPU of the target if it has one.
[[nodiscard]] Toolchain toolchain_for(const Target& target, Toolchain toolchain);

class RunBuilds {
 public:
  // `installation` has its LibTorch. `python`: none where no Python submissions are to be played.
  // All of these outlive it, as what the order refers to does.
  RunBuilds(const BenchOrder& order, const Installation& installation,
            const std::optional<PythonParts>& python, Sandbox& sandbox, const Toolchain& toolchain);

  // Packages are built on all of these GPUs, which are alike. Before prepare().
  void build_on(std::vector<GpuInfo> gpus) { gpus_ = std::move(gpus); }

  // Whether a build step takes the GPU: then nothing is built before the device is there.
  [[nodiscard]] bool on_device() const;
  void begin();
  void await();
  // Gives up what is not compiled yet: it will not be measured.
  void give_up() { given_up_ = true; }

  // True if there is nothing to measure. Waits for the builds, and tells of those that failed: a
  // user whose other submissions compile hears of them before the run waits for its device.
  bool in_vain();

  [[nodiscard]] const Toolchain& toolchain() const { return compiler_.toolchain(); }
  // Null while it is being built.
  [[nodiscard]] const SubmissionBuild* of(std::size_t unit) const {
    return builds_.empty() ? nullptr : &builds_[unit];
  }
  // Waits for it.
  SubmissionBuild& finished(std::size_t unit) {
    await();
    return builds_[unit];
  }
  // Null while it compiles, too.
  [[nodiscard]] const Error* error_of(std::size_t unit) const {
    return builds_.empty() || !builds_[unit].error ? nullptr : &*builds_[unit].error;
  }

  // See RunBench::prepare. `between`: asked often, and between two packages; true ends it.
  Status prepare(const std::set<std::size_t>& units, Store& store, const OracleHello& hello,
                 const std::function<bool()>& interrupted, const std::function<bool()>& between);
  [[nodiscard]] std::string why_unjudged(const Task& task) const {
    return task_checks_.why_unjudged(task);
  }
  // Whether the oracle may make ready for the only task while its submissions compile.
  [[nodiscard]] bool may_begin_early(const OracleHello& hello) const;
  // The package of the task of a profile.
  Status build_package(std::size_t task, const OracleHello& hello);

  // All that the unit is measured with. It refers to this and to the plan.
  [[nodiscard]] UnitParts parts_of(std::size_t unit);

 private:
  [[nodiscard]] bool on_cuda() const { return plan_.target.device == "cuda"; }
  [[nodiscard]] Result<std::vector<Task>> as_written(const std::set<std::size_t>& tasks) const;
  [[nodiscard]] std::optional<Exchange> exchange_of_run() const;
  [[nodiscard]] std::optional<CacheEntries> shared_packages() const;
  [[nodiscard]] bool is_measured(std::size_t unit) const;
  void tell_of_failures();

  const RunRequest& request_;
  const RunTerms& terms_;
  const Plan& plan_;
  ProgressSink& progress_;
  const Installation& installation_;
  const std::optional<PythonParts>& python_;
  Sandbox& sandbox_;
  TaskChecks task_checks_{installation_, plan_.target, sandbox_};
  Compiler compiler_;
  std::vector<GpuInfo> gpus_;                      // empty: the plan's
  std::unique_ptr<PythonBuilder> python_builder_;  // none unless some are to be played
  std::atomic<bool> given_up_ = false;             // outlives what compiles
  std::future<std::vector<SubmissionBuild>> compiling_;
  std::vector<SubmissionBuild> builds_;            // one a unit; empty while they compile
  std::map<std::size_t, PackageResult> packages_;  // key: the task
};

}  // namespace kbench
