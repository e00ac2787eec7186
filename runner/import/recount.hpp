// Whether lowered forms say of their graphs' cost what the graphs say. Operations and bytes move
// the floor under times, the longest sum moves tolerances, and peaks decide what is tried at all; a
// file may come from an untrusted author. They are counted by a sandboxed Python that executes
// nothing of the task.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runner/core/lint_record.hpp"
#include "runner/core/result.hpp"
#include "runner/import/lowering_process.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// Calls `on_finding` with one finding of the kind `kCost` for each file, as they come: a note where
// the cost is right, else a flaw that no task can accept, also for a file that cannot be read.
// Errors: kInfrastructure where no Python can be started, kTimeout when stopped.
[[nodiscard]] Status recount(
    Sandbox& sandbox, const LoweringSetup& setup, const std::vector<std::filesystem::path>& files,
    const Stop& stop,
    const std::function<void(std::size_t index, LintFinding finding)>& on_finding);

}  // namespace kbench
