// The program that plays a Python submission: a process for each session, forked by the Zygote of
// its agent.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/measure/players/worker_program.hpp"
#include "runner/measure/players/zygote_pool.hpp"
#include "runner/sandbox/python_command.hpp"
#include "runner/submission/python_build.hpp"

namespace kbench {

// The player and its files. All paths are absolute.
struct PythonPlayer {
  PythonSetup python;
  std::filesystem::path script;   // runner/player/player.py, with its modules beside it
  std::filesystem::path library;  // kbench-player.so
  // Compute capability of the GPU, 10 * major + minor; 0 if no submission of the run needs Triton.
  int triton_architecture = 0;
};

// How the submission's class is made, and run.
struct PythonModel {
  std::string entry;  // its file below WorkerStart::library, which is a folder
  std::string init;   // a literal of Python: ([64], {}, []) (suites/init_arguments.py)
  std::string mode;   // Task::mode
  // Parameters that the task's Model registers and KernelBench's names for them, as
  // suites/init_arguments.py says and runner/player/player_parameters.py reads it: lists, null
  // where unknown. Data of the task's file; only the session reads them.
  Json state;
  Json kernelbench;
  // Seed of its __init__, which keeps what it draws; none: the task's parameters replace it.
  std::optional<int> seed;
  // The products of its build step; none without such a step. Its files outlive the program.
  std::optional<PythonBuild> built;
};

// The command of the fork server that plays on this device ("cpu" or "cuda"), with so many threads.
[[nodiscard]] ZygoteCommand zygote_command(PythonPlayer player, std::string device,
                                           int device_index, int threads);

// How the player is told of tensors: names, types, shapes and places. `offset` as pack() has it.
[[nodiscard]] Json describe_tensors(const std::vector<TensorSpec>& tensors);

// CUDA: what a call of the task may want in a session: the graph's own, outputs, weights that were
// packed, and what an allocator leaves between them.
[[nodiscard]] std::uint64_t python_heap_bytes(const TaskSize& size);

// One for each submission of `agent`; the pool, which outlives it, has the fork servers of all.
[[nodiscard]] std::unique_ptr<WorkerProgram> make_python_program(ZygotePool& pool,
                                                                 PythonPlayer player,
                                                                 PythonModel model,
                                                                 std::string agent);

}  // namespace kbench
