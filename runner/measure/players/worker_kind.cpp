#include "runner/measure/players/worker_kind.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr const char* kUnderSanitizers =
    "`kbench debug FILE --task TASK` calls it under sanitizers, which name the tensor and the line";

struct CudaError {
  std::int32_t code;
  std::string_view name;
  bool of_memory = false;  // a sanitizer names the access
};

// The errors that kernels run into, as the CUDA runtime's driver_types.h numbers them.
constexpr std::array kCudaErrors{
    CudaError{1, "cudaErrorInvalidValue"},
    CudaError{2, "cudaErrorMemoryAllocation"},
    CudaError{9, "cudaErrorInvalidConfiguration"},
    CudaError{98, "cudaErrorInvalidDeviceFunction"},
    CudaError{209, "cudaErrorNoKernelImageForDevice"},
    CudaError{400, "cudaErrorInvalidResourceHandle"},
    CudaError{700, "cudaErrorIllegalAddress", true},
    CudaError{701, "cudaErrorLaunchOutOfResources"},
    CudaError{702, "cudaErrorLaunchTimeout"},
    CudaError{710, "cudaErrorAssert"},
    CudaError{714, "cudaErrorHardwareStackError", true},
    CudaError{715, "cudaErrorIllegalInstruction"},
    CudaError{716, "cudaErrorMisalignedAddress", true},
    CudaError{717, "cudaErrorInvalidAddressSpace", true},
    CudaError{718, "cudaErrorInvalidPc"},
    CudaError{719, "cudaErrorLaunchFailure", true},
    CudaError{720, "cudaErrorCooperativeLaunchTooLarge"},
    CudaError{900, "cudaErrorStreamCaptureUnsupported"},
};

const CudaError* find_cuda_error(std::int32_t code) {
  const auto* const found = std::find_if(kCudaErrors.begin(), kCudaErrors.end(),
                                         [&](const CudaError& one) { return one.code == code; });
  return found == kCudaErrors.end() ? nullptr : found;
}

// A submission for the CPU may return the same number, which then means what its author says.
EarlyEnd native_end(std::int32_t status) {
  std::string hint = "0 means success; on CUDA the number is a cudaError_t";
  if (const CudaError* error = find_cuda_error(status)) {
    hint += fmt::format(", and {} is {}", status, error->name);
    if (error->of_memory) hint += fmt::format("; {}", kUnderSanitizers);
  }
  return {State::kSubmissionError, fmt::format("the submission returned {} from a call", status),
          hint};
}

// Statuses of runner/player/player.py; the submission's process may say any.
EarlyEnd python_end(std::int32_t status) {
  constexpr std::int32_t kWrongOutput = -2, kRefused = -3, kOutOfMemory = -4;
  if (status > 0) {
    const CudaError* error = find_cuda_error(status);
    return {State::kSubmissionError,
            fmt::format("a call of the submission failed on the device: CUDA error {}{}", status,
                        error == nullptr ? "" : fmt::format(" ({})", error->name)),
            error != nullptr && error->of_memory
                ? "call ModelNew in a Python of your own under compute-sanitizer, which names the "
                  "access; the error may be of a kernel that was launched earlier"
                : "the error may be of a kernel that was launched earlier"};
  }
  if (status == kWrongOutput) {
    return {State::kWrongResult, "forward did not return the task's outputs",
            "it returns tensors of the shapes and types that the reference returns, in its order"};
  }
  if (status == kRefused) {
    return {State::kSubmissionError, "forward or kbench_prepare asked for what kbench refuses",
            "the reason is above; what a file does that catches it is not measured"};
  }
  if (status == kOutOfMemory) {
    return {
        State::kSubmissionError, "the submission ran out of the device's memory",
        "the task's inputs, outputs and reference lie on the device beside it: what they leave is "
        "enough for the reference's own intermediates; otherwise --size small"};
  }
  return {State::kSubmissionError, "forward or kbench_prepare raised an exception",
          "its traceback is above; inputs are read only, and processes cannot be started"};
}

}  // namespace

const WorkerKind& native_worker() {
  static constexpr WorkerKind kKind{
      .name = "native",
      .code = {},
      .records = true,
      .ended_with = native_end,
      .only_known_code =
          "a native submission brings no code but its own library and cannot use LibTorch; cuBLAS "
          "and cuDNN are named in \"libraries\" of its manifest",
      .crash_step = kUnderSanitizers,
      .crash_causes = "look at bounds and alignment; the shapes are in task.h"};
  return kKind;
}

const WorkerKind& python_worker() {
  static constexpr WorkerKind kKind{
      .name = "python",
      .code = {.runtime_allowed = true, .memory_allowed = true},
      .owns_outputs = true,
      .observes = true,
      .records = true,
      .least_call_timeout = std::chrono::seconds{20},
      .ended_with = python_end,
      .only_known_code =
          "a Python submission brings no machine code but what the build step made of it: its "
          "process maps that, and what Python and torch consist of",
      .crash_step =
          "call ModelNew with tensors of the task's shapes in a Python of your own: of code for "
          "the CPU with what it compiles built with -g -fsanitize=address, and "
          "LD_PRELOAD=$(gcc -print-file-name=libasan.so); of CUDA under compute-sanitizer",
      .crash_causes =
          "inputs and parameters are read only: no operator in place on them (relu_, "
          "inplace=True, out=); of what it compiled, check bounds and alignment"};
  return kKind;
}

}  // namespace kbench
