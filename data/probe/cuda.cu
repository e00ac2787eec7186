// Runs a kernel of a GPU, to be watched by compute-sanitizer. Each tensor is an allocation of its
// own. Two calls, each with new inputs and outputs, as kernels of a CPU get them (cpu.cpp). Outputs
// and the workspace are not initialised: a kernel that reads what it never wrote is found.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "probe.h"
#include "task.h"
#include "tensors.h"

extern "C" {
int kbench_prepare(const kb_params*, kb_context*) __attribute__((weak));
uint64_t kbench_workspace_bytes(void) __attribute__((weak));
}

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "kbench-probe: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

struct Memory {
  static void* allocate(std::uint64_t bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "no memory for a tensor");
    return memory;
  }
  static void fill(void* to, const void* from, std::uint64_t bytes) {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copy of a tensor");
  }
  static void release(void* memory) { (void)cudaFree(memory); }
  // compute-sanitizer names an allocation itself.
  static void know(const char*, const char*, void*, std::uint64_t) {}
};
using Tensors = probe::Tensors<Memory>;

}  // namespace

int main(int count, char** words) {
  probe::Values values(count > 1 ? words[1] : "");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream), "no stream");
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "no device");
  kb_context context{};
  context.size = sizeof context;
  context.abi_version = KBENCH_ABI_VERSION;
  context.stream = stream;
  context.device_kind = KB_DEVICE_CUDA;
  context.threads = 1;
  context.sm_count = device.multiProcessorCount;
  context.compute_capability = 10 * device.major + device.minor;
  context.l2_bytes = static_cast<uint64_t>(device.l2CacheSize);
  context.shared_bytes_per_block = device.sharedMemPerBlockOptin;
  if (kbench_workspace_bytes != nullptr) context.workspace_bytes = kbench_workspace_bytes();
  if (context.workspace_bytes > 0)
    check(cudaMalloc(&context.workspace, context.workspace_bytes), "no memory for the workspace");
  const Tensors params("parameter", probe::parameters(), &values);
  int status = kbench_prepare == nullptr ? 0 : kbench_prepare(params.as<kb_params>(), &context);
  for (int call = 0; call < 2 && status == 0; ++call) {
    const Tensors inputs("input", probe::inputs(), &values);
    const Tensors outputs("output", probe::outputs(), nullptr);
    status = kbench_forward(inputs.as<kb_inputs>(), params.as<kb_params>(),
                            outputs.as<kb_outputs>(), &context);
    check(cudaDeviceSynchronize(), "a call ended badly");
  }
  std::fprintf(stderr, "kbench-probe: ended with status %d\n", status);
  return 0;
}
