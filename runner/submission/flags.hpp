// Which compiler flags and libraries a manifest may ask for. A flag is allowed when it changes how
// the submission's own code is compiled, and nothing else: no plug-ins, no response files, no
// search paths outside, no linker options.
#pragma once

#include <string>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// `device` is "cpu" (flags of g++ and clang++) or "cuda" (flags of nvcc; host flags as
// -Xcompiler=FLAG). Errors: kBadInput, naming the flag and, where there is one, the nearest.
[[nodiscard]] Status check_flag(const std::string& flag, const std::string& device);

// Errors: kBadInput for an unknown library, or one of the other device.
[[nodiscard]] Status check_library(const std::string& library, const std::string& device);

// The linker's arguments for an allowed library.
[[nodiscard]] std::vector<std::string> linker_arguments(const std::string& library);

}  // namespace kbench
