// The listener of a run: a terminal, a judge, a test. The run itself prints nothing.
#pragma once

#include <span>

#include "runner/core/evaluation.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/store/rows/blob.hpp"

namespace kbench {

class Store;

class RunSink {
 public:
  virtual ~RunSink() = default;

  // Notes, warnings, phases and items.
  virtual ProgressSink& progress() = 0;

  // Receives the plan, before anything is started. An error refuses the run.
  virtual Status begin(const Plan&) { return Done{}; }

  // Receives a row that the database has now, with the contents of its sources. The current item of
  // `progress` is this row, and ends with it.
  virtual void row(const Evaluation& evaluation, std::span<const Blob> sources) = 0;

  // The end: nothing more is measured. It comes while the last processes end, so that writing a
  // report costs no extra time. An error ends the run as a failure; its rows are stored.
  virtual Status done(const Store&, const Run&) { return Done{}; }
};

}  // namespace kbench
