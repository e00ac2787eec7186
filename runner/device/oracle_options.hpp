// How the commands that measure start their oracle.
#pragma once

#include <filesystem>
#include <string>

#include "runner/installation/installation.hpp"
#include "runner/machine/target.hpp"
#include "runner/measure/oracle/oracle_process.hpp"

namespace kbench {

// The oracle of the target's device, in that sandbox, on all threads that this process may use.
[[nodiscard]] OracleOptions oracle_options(Sandbox& sandbox, const Installation& installation,
                                           const Target& target, const std::string& precision);

// The command of that oracle (confined_oracle), which confines all that it executes of a task, for
// the selftest that tries to get out. Errors: kInfrastructure, where it is not built or LibTorch is
// not found.
[[nodiscard]] Result<SandboxCommand> oracle_command(const Installation& installation,
                                                    const Target& target,
                                                    const std::filesystem::path& scratch);

}  // namespace kbench
