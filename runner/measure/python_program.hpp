// The program that plays a Python submission: a Zygote in the sandbox, made when the first session
// is asked for, and a process forked from it for each. Called by run_command.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/measure/worker_program.hpp"
#include "runner/sandbox/python_command.hpp"
#include "runner/submission/python_build.hpp"

namespace kbench {

// What plays. All paths are absolute.
struct PythonPlayer {
  PythonSetup python;
  std::filesystem::path script;   // runner/player/player.py
  std::filesystem::path library;  // kbench-player.so
};

// How the submission's class is made, and run.
struct PythonModel {
  std::string entry;  // its file below WorkerStart::library, which is a folder
  std::string init;   // a literal of Python: ([64], {})
  std::string mode;   // Task::mode
  // Names of all parameters of the task's Model, those that its graph does not read among them;
  // none where they are not known.
  std::optional<std::vector<std::string>> parameters;
  // What its build step made; none where it has no such step. Its files outlive the program.
  std::optional<PythonBuild> built;
  int compute_capability = 0;  // of the GPU, 10 * major + minor, for Triton; 0 without
};

[[nodiscard]] std::unique_ptr<WorkerProgram> make_python_program(Sandbox& sandbox,
                                                                 PythonPlayer player,
                                                                 PythonModel model);

}  // namespace kbench
