// Programs that look at kernels, which nothing needs to compile one.
#pragma once

#include <filesystem>

namespace kbench {

// cuobjdump beside nvcc, else the one that Triton brings with its packages; empty where there is
// none.
[[nodiscard]] std::filesystem::path find_cuobjdump(const std::filesystem::path& nvcc);

// A program below site-packages of a virtual environment in which a toolkit of wheels may be; empty
// where there is none.
[[nodiscard]] std::filesystem::path find_in_packages(const std::filesystem::path& place);

}  // namespace kbench
