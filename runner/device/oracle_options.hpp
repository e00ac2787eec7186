// How the commands that measure start their oracle.
#pragma once

#include <string>

#include "runner/backend/target.hpp"
#include "runner/installation/installation.hpp"
#include "runner/measure/oracle_process.hpp"

namespace kbench {

// The oracle of the target's device, in that sandbox, on all threads that this process may use.
[[nodiscard]] OracleOptions oracle_options(Sandbox& sandbox, const Installation& installation,
                                           const Target& target, const std::string& precision);

}  // namespace kbench
