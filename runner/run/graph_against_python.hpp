// Whether the graph of a task computes what the task's Python does, and as fast. Kernels are
// measured against the graph, and their authors read the Python. If the two differ, honest kernels
// are wrong; if the graph dawdles, every submission is fast. The task's own Model is played as a
// Python submission, in the sandbox, and judged like one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/lint_record.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/measure/players/zygote_pool.hpp"
#include "runner/run/awaited_answers.hpp"
#include "runner/run/model_arguments.hpp"
#include "runner/run/python_submissions.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// SHA-256 of the task's Python; empty where it cannot be read.
[[nodiscard]] std::string hash_of_python(const Task& task);

class GraphAgainstPython {
 public:
  // Begins the comparison of `tasks`, which outlive it. From here on a thread asks how
  // their Models are made: their files are executed, each in a process of its own. It stops where
  // `interrupted` says so.
  GraphAgainstPython(const Installation& installation, const Target& target, Sandbox& sandbox,
                     std::vector<const Task*> tasks, const std::function<bool()>& interrupted = {});

  // Findings on the task at `index`, by `oracle`, which has loaded LibTorch. Errors: why the two
  // cannot be compared, such as a missing Python with torch.
  Result<std::vector<LintFinding>> compare(std::size_t index, Oracle& oracle);

  // Returns once compare() alone executes files.
  void wait_for_files() const;

 private:
  [[nodiscard]] Evaluation play(const Task& task, const ModelArguments& arguments, Oracle& oracle);

  const Installation& installation_;
  const Target& target_;
  Sandbox& sandbox_;
  std::vector<const Task*> tasks_;
  Result<PythonParts> python_;
  ZygotePool zygotes_;
  std::optional<AwaitedAnswers<ModelArguments>> arguments_;  // none unless there is a Python
};

}  // namespace kbench
