// Programs of the CUDA toolkit that nothing needs to compile.
#pragma once

#include <filesystem>

namespace kbench {

// cuobjdump beside nvcc, else the one that Triton brings with its packages; empty where there is
// none.
[[nodiscard]] std::filesystem::path find_cuobjdump(const std::filesystem::path& nvcc);

}  // namespace kbench
