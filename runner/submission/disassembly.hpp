// Instructions in the kernels of a compiled submission, as cuobjdump shows them: which pipes they
// are for. Where they stand, not how often they run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "runner/core/result.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

struct InstructionCounts {
  // Additions, multiplications, multiply-adds, comparisons.
  std::uint64_t fp64 = 0;
  std::uint64_t fp32 = 0;
  std::uint64_t tensor = 0;   // products on tensor cores
  std::uint64_t atomics = 0;  // atomics in global and shared memory
};

// Reads the output of cuobjdump -sass; what is no instruction counts for nothing.
[[nodiscard]] InstructionCounts count_instructions(std::string_view sass);

// Has the library disassembled, in the sandbox. Errors: kNotFound where `cuobjdump` is empty or
// does not understand the library.
[[nodiscard]] Result<InstructionCounts> disassemble(Sandbox& sandbox,
                                                    const std::filesystem::path& cuobjdump,
                                                    const std::filesystem::path& library);

}  // namespace kbench
