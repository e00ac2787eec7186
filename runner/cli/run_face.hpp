// Output of a run for a person while it goes on: progress on standard error, and a line a row.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/print/progress.hpp"
#include "runner/run/run_sink.hpp"

namespace kbench {

// The options, with their request completed (complete_request), once every output can be written
// and can show such a run. Errors: those of complete_request; kUsage.
[[nodiscard]] Result<RunOptions> check_run_options(const RunOptions& given);

// Errors: kUsage where the outputs cannot show the tasks of the plan.
[[nodiscard]] Status check_shown(const std::vector<OutputRequest>& outputs, const Plan& plan);

class RunFace : public RunSink {
 public:
  // `stored` is told of each row as well.
  explicit RunFace(
      const CommonOptions& common,
      std::function<void(const Evaluation&)> stored = [](const Evaluation&) {});
  ProgressSink& progress() override { return progress_; }
  void row(const Evaluation& evaluation, std::span<const Blob> sources) override;

 private:
  Progress progress_;
  std::function<void(const Evaluation&)> stored_;
};

// Writes the reports that the options ask for as well.
class ReportingFace final : public RunFace {
 public:
  // `options` outlive it. `suites`: of the installation.
  ReportingFace(
      const RunOptions& options, std::filesystem::path suites,
      std::function<void(const Evaluation&)> stored = [](const Evaluation&) {});
  Status begin(const Plan& plan) override;
  Status done(const Store& store, const Run& run) override;

 private:
  const RunOptions& options_;
  std::filesystem::path suites_;
};

[[nodiscard]] CommonOptions with_verbosity(CommonOptions common, int verbosity);

// The same options for runs within a command that tells of them in lines of its own: a run says
// something only where the command is verbose.
[[nodiscard]] CommonOptions within_command(CommonOptions common);

}  // namespace kbench
