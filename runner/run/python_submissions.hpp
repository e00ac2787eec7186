// Preparations for the Python submissions of a run: a Python with torch, compilers for those with a
// build step, a copy of their files that the sandbox can show, and what each task's Model is made
// with.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/measure/python_program.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/submission/python_builder.hpp"
#include "runner/submission/source_files.hpp"
#include "runner/submission/staging.hpp"

namespace kbench {

// The player of a run's Python submissions, and the builder of those that take a build step.
struct PythonParts {
  PythonPlayer player;
  std::filesystem::path headers;  // with Python.h
};

// Errors: why no Python submission can be played on this machine.
[[nodiscard]] Result<PythonParts> find_python_parts(const Installation& installation, bool on_cuda);

// Ends the units that cannot be played here as skipped, with the reason: no Python with torch, on a
// GPU none whose torch has CUDA, no compiler, a device that they are not offered on. None where no
// unit is left.
[[nodiscard]] std::optional<PythonParts> find_python_parts(Plan& plan,
                                                           const Installation& installation,
                                                           const Toolchain& toolchain);

// Builds those that take a build step. The sandbox outlives it.
[[nodiscard]] std::unique_ptr<PythonBuilder> make_python_builder(const PythonParts& parts,
                                                                 const Target& target,
                                                                 const Installation& installation,
                                                                 Sandbox& sandbox,
                                                                 const Toolchain& toolchain);

// The files of a submission, alone in a folder that a sandbox can show. `files` as
// read_source_files gives them: nothing is read again.
struct PythonFiles {
  std::shared_ptr<Staging> staging;  // removes them in the end
  std::filesystem::path folder;
  std::string entry;  // the file with ModelNew, below the folder
};
[[nodiscard]] Result<PythonFiles> stage_python(const Submission& submission,
                                               const std::vector<SourceFile>& files);

// How the Model of each task is made: get_init_inputs() and the names of its parameters. The tasks'
// files are executed in the sandbox, each in a process of its own.
struct ModelArguments {
  std::string init;  // a literal of Python
  Json state;        // as PythonModel has them
  Json kernelbench;
  bool draws_alike = true;  // a shipped task's Model and KernelBench's, after the same seed
  // The task's file with the constants of the run's size, whose Model is ModelNew as well. On a CPU
  // it plays eager beside Python submissions.
  PythonFiles reference;
};
[[nodiscard]] std::vector<Result<ModelArguments>> ask_model_arguments(
    const std::vector<const Task*>& tasks, const std::string& size, const PythonPlayer& player,
    const Installation& installation, Sandbox& sandbox);

// The arguments of those tasks for which a plan has Python submissions, by index into `plan.tasks`.
using ArgumentsByTask = std::map<std::size_t, Result<ModelArguments>>;
[[nodiscard]] ArgumentsByTask ask_model_arguments(const Plan& plan, const PythonPlayer& player,
                                                  const Installation& installation,
                                                  Sandbox& sandbox);

}  // namespace kbench
