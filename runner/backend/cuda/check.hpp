// Turns the return codes of the CUDA runtime and driver into Status.
// Launches go through launch(), whose code is that of the launch alone: an error that earlier code
// left behind is neither blamed on us nor swallowed.
#pragma once

#include <utility>

#include <cuda.h>
#include <cuda_runtime.h>

#include "runner/core/result.hpp"

namespace kbench::cuda {

// Errors: kDoesNotFit when memory ran out, else kInfrastructure; both name the call.
[[nodiscard]] Status check(cudaError_t code, const char* call);
[[nodiscard]] Status check(CUresult code, const char* call);

// Launches on the default stream.
template <class... Parameters, class... Arguments>
Status launch(const char* name, void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
              Arguments&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  return check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), name);
}

}  // namespace kbench::cuda
