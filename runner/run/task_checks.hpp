// Whether a task from elsewhere may rank rows. A task that is not of the shipped suite is linted
// once by its content, size and device, before its first timed row: does its judge tell a kernel
// that works from one that computes nothing, is eager itself exact enough to be a yardstick, does
// the graph compute what the Python does, and cost what the file says? The records are those of
// `kbench tasks lint`, in the same table.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runner/core/lint_record.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/run/task_examiner.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/store/store.hpp"
#include "runner/task/task.hpp"

namespace kbench {

class TaskChecks {
 public:
  TaskChecks(const Installation& installation, const Target& target, Sandbox& sandbox)
      : TaskChecks(installation, target, make_task_examiner(installation, target, sandbox)) {}
  TaskChecks(const Installation& installation, const Target& target,
             std::unique_ptr<TaskExaminer> examiner)
      : installation_(installation), target_(target), examiner_(std::move(examiner)) {}

  // Checks those of the tasks that are not shipped and that were not checked before; `lints` false:
  // none of them. A task that cannot be checked is the record's matter, not an error. Errors: of
  // the store.
  Status check(const std::vector<const Task*>& tasks, bool lints, Store& store,
               ProgressSink& progress, const std::function<bool()>& interrupted);

  // Why the task ranks no row; empty where it may.
  [[nodiscard]] std::string why_unranked(const Task& task) const;

  // Why no submission can be judged by the task: its graph is known to compute something else than
  // its Python. Empty where that is not known.
  [[nodiscard]] std::string why_unjudged(const Task& task) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // content, size, device
  [[nodiscard]] Key key_of(const Task& task) const {
    return {task.hash, target_.size, target_.device};
  }
  [[nodiscard]] bool is_shipped(const Task& task) const;
  // Null without one, and where it says nothing about the Python that the task has now.
  [[nodiscard]] const LintRecord* record_of(const Task& task) const;
  // Examines `open`, with which the examiner has begun, and stores what it finds.
  Status examine_all(const std::vector<const Task*>& open, Store& store, ProgressSink& progress,
                     const std::function<bool()>& interrupted);
  // The task at `index` of those that the examiner began with.
  Result<LintRecord> examine(const Task& task, std::size_t index);

  const Installation& installation_;
  const Target& target_;
  std::unique_ptr<TaskExaminer> examiner_;
  std::map<Key, LintRecord> records_;
};

}  // namespace kbench
