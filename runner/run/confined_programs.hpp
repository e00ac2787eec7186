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

// Without LibTorch nothing executes a task: a program that is not there is empty.
struct ConfinedPrograms {
  ConfinedCommand oracle;
  ConfinedCommand builder;
};

// Those of the GPU with this index, or of the CPU where it is negative. Holds on to `installation`.
[[nodiscard]] ConfinedPrograms confined_programs(const Installation& installation, int cuda_device);

}  // namespace kbench
