// Preparations for the Python submissions of a run: a Python with torch, compilers for those with a
// build step, and a copy of their files that the sandbox can show.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/measure/players/python_program.hpp"
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
  std::filesystem::path headers;  // folder with Python.h
};

[[nodiscard]] bool is_played_python(const PlannedRow& unit);

// Errors: why no Python submission can be played on this machine.
[[nodiscard]] Result<PythonParts> find_python_parts(const Installation& installation, bool on_cuda);

// Finds the parts, and ends units that cannot be played here as skipped, with the reason: no Python
// with torch, on a GPU none whose torch has CUDA, no compiler, a device that they are not for.
// Empty if no unit is left.
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
// Stages files of no submission, whose names begin with src/; the caller names the entry.
[[nodiscard]] Result<PythonFiles> stage_python(const std::vector<SourceFile>& files);

}  // namespace kbench
