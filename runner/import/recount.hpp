// Whether lowered forms say of their graphs' cost what the graphs say. Operations and bytes move
// the floor under times, the longest sum moves tolerances, and peaks decide what is tried at all; a
// file may have been written by anybody. They are counted by a sandboxed Python that executes
// nothing of the task.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/lint_record.hpp"
#include "runner/core/result.hpp"
#include "runner/import/lowering_process.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// One finding of the kind `kCost` for each file, in their order: a note where it is right, else a
// flaw that no task can accept. Errors: kInfrastructure where no Python can be started, kTimeout
// when stopped, and whatever keeps a file from being read.
[[nodiscard]] Result<std::vector<LintFinding>> recount(
    Sandbox& sandbox, const LoweringSetup& setup, const std::vector<std::filesystem::path>& files,
    const Stop& stop);

}  // namespace kbench
