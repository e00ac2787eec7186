// How the supervisor and kbench-vendor.so speak: by the environment of the process, and by lines
// that it prints.
#pragma once

namespace kbench {

inline constexpr const char* kPlanVariable = "KBENCH_VENDOR_PLAN";          // JSON, plan.hpp
inline constexpr const char* kCublasLtVariable = "KBENCH_VENDOR_CUBLASLT";  // files
inline constexpr const char* kCudnnVariable = "KBENCH_VENDOR_CUDNN";

// Beginnings of lines.
inline constexpr const char* kAlgorithmWord = "vendor algorithm: ";
inline constexpr const char* kFailureWord = "vendor failure: ";

}  // namespace kbench
