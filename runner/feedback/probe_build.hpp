// A kernel compiled with a program of ours (data/probe) that calls it on drawn inputs, for a
// sanitizer to watch. It judges nothing, and nothing that a judge reads comes from it. Both
// compiling and running are in the sandbox.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/submission/source_files.hpp"
#include "runner/submission/staging.hpp"
#include "runner/submission/submission.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// Paths of the tools and files of a probe. The toolchain names the architecture of the GPU.
struct ProbePlace {
  Sandbox& sandbox;
  Toolchain toolchain;
  std::filesystem::path abi;     // has kbench.h
  std::filesystem::path probes;  // data/probe
};

// A kernel and what it is called for. Native ones only.
struct ProbedKernel {
  const Submission& submission;
  const std::vector<SourceFile>& files;  // the files that read_source_files gives
  const Task& task;
  const TaskSize& size;
};

// The wanted size, or "small" where its tensors are more than a probe may take.
[[nodiscard]] const TaskSize& probed_size(const Task& task, const TaskSize& wanted);

struct ProbeFolder {
  Staging staging;
  std::filesystem::path program;
  std::filesystem::path stored;  // argument of the program
};

// Everything in a folder: src/, include/, abi/, task/, probe/. Errors: kInfrastructure.
[[nodiscard]] Result<Staging> stage_probe(const ProbePlace& place, const ProbedKernel& kernel);

// Puts everything into a folder and compiles it, for a CPU with its sanitizers. Errors:
// kSubmission, it does not compile with them, with the compiler's words; kTimeout; kInfrastructure.
[[nodiscard]] Result<ProbeFolder> build_probe(const ProbePlace& place, const ProbedKernel& kernel,
                                              std::chrono::milliseconds patience);

struct ProbeCommand {
  std::vector<std::string> argv;
  // The only folder that it may write to. It is handed over to the sandbox's user, so two commands
  // at a time need one each.
  std::filesystem::path scratch;
  bool cuda = false;
  std::chrono::milliseconds patience;
};

// Runs a command in that folder's src/, as foreign code with bounded memory and processes. Safe to
// call from several threads.
[[nodiscard]] Result<ProgramOutput> run_probe(const ProbePlace& place, const ProbeFolder& folder,
                                              const ProbeCommand& wanted);

}  // namespace kbench
