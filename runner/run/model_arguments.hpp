// How the Model of each task is made: get_init_inputs(), the names of its parameters, and the
// task's text at a size. suites/init_arguments.py executes the task's file for that in the sandbox,
// in a process of its own, which imports torch (1 to 2 s). So its answers are kept in the cache of
// the installation, by all that they depend on.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/measure/players/python_program.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/run/python_submissions.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

struct ModelArguments {
  std::string init;  // a literal of Python
  Json state;        // PythonModel's member
  Json kernelbench;
  bool draws_alike = true;  // a shipped task's Model and KernelBench's, after the same seed
  // The task's file with the constants of the run's size, whose Model is ModelNew as well. On a CPU
  // it plays eager beside Python submissions.
  PythonFiles reference;
  std::string source_hash;  // hash of the file that answered
};

// Calls `on_answer` once for each of the tasks, by its index, as the answers come. Errors are not
// kept: the next run asks again. One that is another file after its answer than before has none.
// Ends soon where `stop` says so, which a busy loop may ask.
using OnArguments = std::function<void(std::size_t index, Result<ModelArguments> answer)>;
void ask_model_arguments(const std::vector<const Task*>& tasks, const std::string& size,
                         const PythonPlayer& player, const Installation& installation,
                         Sandbox& sandbox, const OnArguments& on_answer,
                         const std::function<bool()>& stop = {});

// The arguments of those tasks for which a plan has Python submissions, by index into `plan.tasks`.
using ArgumentsByTask = std::map<std::size_t, Result<ModelArguments>>;
[[nodiscard]] ArgumentsByTask ask_model_arguments(const Plan& plan, const PythonPlayer& player,
                                                  const Installation& installation,
                                                  Sandbox& sandbox,
                                                  const std::function<bool()>& stop = {});

}  // namespace kbench
