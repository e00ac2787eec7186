// Examination of one task: an oracle that plays wrong kernels, the task's own Python played as a
// submission, and a count of its graph's cost. An interface because each of them is a process of
// its own; TaskChecks decides what follows from what they find.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "runner/core/lint_record.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/task/task.hpp"

namespace kbench {

class TaskExaminer {
 public:
  virtual ~TaskExaminer() = default;

  // Begins with these tasks, which outlive it and are known by their index from here on. Threads
  // begin to count their costs and to ask how their Models are made. end() ends its processes.
  virtual void begin(const std::vector<const Task*>& tasks,
                     const std::function<bool()>& interrupted) = 0;
  virtual void end() = 0;

  // The findings of wrong kernels and of eager's own error, and nothing else. Errors: no oracle can
  // be started, or the task's file cannot be read.
  virtual Result<LintRecord> lint(const Task& task, const TaskSize& size) = 0;
  // The oracle that linted is not trusted with another task.
  virtual void drop_oracle() = 0;
  // Whether the graph computes what the Python does, by the oracle that linted. Errors: why the two
  // cannot be compared.
  virtual Result<std::vector<LintFinding>> compare(std::size_t index) = 0;
  // Waits for the count of that task. Errors: as import/recount.hpp.
  virtual Result<LintFinding> cost(std::size_t index) = 0;
  // Returns once its threads are done with all tasks, so that the machine is quiet.
  virtual void wait_for_threads() = 0;
};

// The examiner of this machine. The arguments outlive it.
[[nodiscard]] std::unique_ptr<TaskExaminer> make_task_examiner(const Installation& installation,
                                                               const Target& target,
                                                               Sandbox& sandbox);

}  // namespace kbench
