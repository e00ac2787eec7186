// Programs that look for faults in kernels, which nothing needs to compile or run one.
#pragma once

#include <filesystem>

namespace kbench {

// compute-sanitizer in the toolkit of nvcc, else on the search path, else of wheels; empty where
// there is none.
[[nodiscard]] std::filesystem::path find_compute_sanitizer(const std::filesystem::path& nvcc);

// The one that third_party/requirements.txt brings, which reads the headers of CUDA 13, else one on
// the search path; empty where there is none.
[[nodiscard]] std::filesystem::path find_clang_tidy();

// A program on the search path; empty where there is none.
[[nodiscard]] std::filesystem::path find_on_path(const char* name);

}  // namespace kbench
