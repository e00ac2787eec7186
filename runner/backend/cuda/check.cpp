#include "runner/backend/cuda/check.hpp"

#include <fmt/format.h>

namespace kbench::cuda {

namespace {

constexpr const char* kMemoryHint = "choose a smaller size, or end other programs on this GPU";

}  // namespace

Status check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return Done{};
  // The runtime keeps a call's error for the next call that asks; this one is reported here.
  static_cast<void>(cudaGetLastError());
  const bool full = code == cudaErrorMemoryAllocation;
  return Error{full ? ErrorCode::kDoesNotFit : ErrorCode::kInfrastructure,
               fmt::format("{}: {} ({})", call, cudaGetErrorString(code), cudaGetErrorName(code)),
               full ? kMemoryHint : ""};
}

// Without the driver's own words: libcuda is not linked.
Status check(CUresult code, const char* call) {
  if (code == CUDA_SUCCESS) return Done{};
  const bool full = code == CUDA_ERROR_OUT_OF_MEMORY;
  return Error{full ? ErrorCode::kDoesNotFit : ErrorCode::kInfrastructure,
               fmt::format("{}: {}CUDA driver error {}", call, full ? "out of memory, " : "",
                           static_cast<int>(code)),
               full ? kMemoryHint : ""};
}

}  // namespace kbench::cuda
