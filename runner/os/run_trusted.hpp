// Runs a program of ours or of the system to its end and collects what it writes. For trusted
// programs only (a Python's or a compiler's version); anything foreign goes to runner/sandbox.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/os/child_process.hpp"

namespace kbench {

enum class Errors { kKept, kDropped };  // standard error of the program

// argv[0] is a path. Standard input is empty; of both output streams together at most 64 KiB are
// kept. Errors: kInfrastructure (cannot be started, exit status other than 0, killed; with the last
// line of its output), kTimeout (it was killed with its process group).
[[nodiscard]] Result<std::string> run_trusted(ChildPlan plan, std::chrono::milliseconds timeout,
                                              Errors errors = Errors::kKept);
// The same in our working directory.
[[nodiscard]] Result<std::string> run_trusted(const std::vector<std::string>& argv,
                                              std::chrono::milliseconds timeout,
                                              Errors errors = Errors::kKept);

}  // namespace kbench
