// All that one unit is measured with, beside its device: its task, what was built of it, its
// package. A run on one device makes it of its plan; a lane reads it from its channel
// (lane_order.hpp).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "baselines/builder_pool.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/run/submission_builds.hpp"
#include "runner/task/task.hpp"

namespace kbench {

struct UnitParts {
  const Task* task = nullptr;  // the task in the run's precision class, with the run's size
  std::optional<SubmissionId> submission;
  bool is_python = false;
  PackageResult package;  // the task's package; no file and no reason: none was requested
  // The build of the submission; null while it compiles. finished_build() waits for it.
  const SubmissionBuild* build = nullptr;
  std::function<const SubmissionBuild&()> finished_build;
  std::string unranked;  // why the task ranks no row; empty where it may
};

}  // namespace kbench
