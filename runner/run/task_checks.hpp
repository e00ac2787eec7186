// Whether a task that somebody else wrote may rank anybody. A task that is not shipped is linted
// once by its content, size and device, before its first timed row. Does its judge tell a kernel
// that works from one that computes nothing? Is eager exact enough to be a yardstick? Does the
// graph compute what the Python does, and cost what the file says? The records are those of `kbench
// tasks lint`, in the same table.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "runner/backend/target.hpp"
#include "runner/core/lint_record.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/installation/installation.hpp"
#include "runner/measure/oracle/oracle_process.hpp"
#include "runner/run/awaited_answers.hpp"
#include "runner/run/graph_against_python.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/store/store.hpp"
#include "runner/task/task.hpp"

namespace kbench {

class TaskChecks {
 public:
  TaskChecks(const Installation& installation, const Target& target, Sandbox& sandbox)
      : installation_(installation), target_(target), sandbox_(sandbox) {}

  // Checks the tasks that are not shipped and have no record yet; with `lints` false, none. The
  // record says if a task could not be checked; that is no error. Errors: those of the store.
  Status check(const std::vector<const Task*>& tasks, bool lints, Store& store,
               ProgressSink& progress, const std::function<bool()>& interrupted);

  // Why the task ranks nobody; empty where it may.
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
  // The record of a task. Null without one, and if it says nothing about the task's current Python.
  [[nodiscard]] const LintRecord* record_of(const Task& task) const;
  using Costs = AwaitedAnswers<LintFinding>;
  // The one at `index` of those that `costs` and `python` were asked for.
  Result<LintRecord> lint(const Task& task, std::size_t index, const Costs& costs,
                          GraphAgainstPython& python);
  [[nodiscard]] Error recount(const std::vector<const Task*>& tasks,
                              const std::function<bool()>& interrupted, const Costs::Give& give);

  const Installation& installation_;
  const Target& target_;
  Sandbox& sandbox_;
  std::map<Key, LintRecord> records_;
  std::unique_ptr<OracleProcess> oracle_;  // while it checks
};

}  // namespace kbench
