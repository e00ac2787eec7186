// A run as people see it: progress on standard error, a line for each row, and reports at its end.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "reports/facts/file_names.hpp"
#include "reports/facts/model.hpp"
#include "reports/write/outputs.hpp"
#include "runner/core/result.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/print/progress.hpp"
#include "runner/run/run_sink.hpp"

namespace kbench {

class RunFace : public RunSink {
 public:
  // `verbosity` as of Progress. `stored` is told of each row as well.
  RunFace(
      ColorMode color, int verbosity,
      std::function<void(const Evaluation&)> stored = [](const Evaluation&) {});
  ProgressSink& progress() override { return progress_; }
  Status begin(const Plan& plan) override;
  void row(const Evaluation& evaluation, std::span<const Blob> sources) override;

 private:
  Progress progress_;
  FileNames names_;  // names of the files that the plan has
  std::function<void(const Evaluation&)> stored_;
};

// The reports that a run writes at its end.
struct RunReports {
  std::vector<OutputRequest> outputs;
  VariantRule variants = VariantRule::kBest;
  Trust trust;
  OutputStyle style;
  std::filesystem::path suite;     // suite of the run
  std::filesystem::path database;  // database that has the run
};

// Errors: kUsage where the outputs cannot show the tasks of the plan.
[[nodiscard]] Status check_shown(const std::vector<OutputRequest>& outputs, const Plan& plan);

class ReportingFace final : public RunFace {
 public:
  ReportingFace(
      ColorMode color, int verbosity, RunReports reports,
      std::function<void(const Evaluation&)> stored = [](const Evaluation&) {});
  Status begin(const Plan& plan) override;
  Status done(const Store& store, const Run& run) override;

 private:
  RunReports reports_;
};

}  // namespace kbench
