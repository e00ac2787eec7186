// Set-up of the sandboxed Pythons that read foreign files.
#pragma once

#include <filesystem>
#include <string>

#include "runner/core/result.hpp"
#include "runner/import/lowering_process.hpp"
#include "runner/installation/installation.hpp"
#include "runner/installation/python_facts.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// Sees that Python and our scripts, nothing else. `memory_gib`: address space of one process.
[[nodiscard]] LoweringSetup lowering_setup(const Installation& installation,
                                           const PythonFacts& facts, int memory_gib);

// A Parquet table as lines of JSON. The table is not trusted, and its reader is large: it is read
// in the sandbox. Errors: kUsage, kBadInput; kInfrastructure without pyarrow.
[[nodiscard]] Result<std::string> read_parquet(Sandbox& sandbox, const LoweringSetup& setup,
                                               const std::filesystem::path& file);

}  // namespace kbench
