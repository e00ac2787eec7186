// The programs that execute what task files say, and what confines them: `kbench selftest sandbox`
// tries to get out of that very command.
#pragma once

#include <filesystem>
#include <functional>

#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// The command that confines a program, for a scratch folder. Errors: kInfrastructure.
using ConfinedCommand = std::function<Result<SandboxCommand>(const std::filesystem::path& scratch)>;

// Each is empty if its program is not installed: without LibTorch nothing executes a task.
struct ConfinedPrograms {
  ConfinedCommand oracle;
  ConfinedCommand builder;
};

// The programs for the GPU with this index, or for the CPU if it is negative. Holds on to
// `installation`.
[[nodiscard]] ConfinedPrograms confined_programs(const Installation& installation, int cuda_device);

}  // namespace kbench
