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

class Tensors {
 public:
  Tensors(const std::vector<probe::Tensor>& tensors, probe::Values* values) {
    for (const probe::Tensor& tensor : tensors) {
      const std::uint64_t bytes = probe::bytes_of(tensor);
      void* memory = nullptr;
      check(cudaMalloc(&memory, bytes == 0 ? 1 : bytes), "no memory for a tensor");
      if (values != nullptr && bytes > 0) {
        const auto drawn = values->draw(tensor);
        check(cudaMemcpy(memory, drawn.data(), bytes, cudaMemcpyHostToDevice), "copy of a tensor");
      }
      pointers_.push_back(memory);
    }
    words_ = probe::words(pointers_, KBENCH_ABI_VERSION);
  }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;
  ~Tensors() {
    for (void* memory : pointers_) (void)cudaFree(memory);
  }
  template <typename Struct>
  const Struct* as() const {
    return reinterpret_cast<const Struct*>(words_.data());
  }

 private:
  std::vector<void*> pointers_;
  std::vector<std::uint64_t> words_;
};

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
  const Tensors params(probe::parameters(), &values);
  int status = kbench_prepare == nullptr ? 0 : kbench_prepare(params.as<kb_params>(), &context);
  for (int call = 0; call < 2 && status == 0; ++call) {
    const Tensors inputs(probe::inputs(), &values);
    const Tensors outputs(probe::outputs(), nullptr);
    status = kbench_forward(inputs.as<kb_inputs>(), params.as<kb_params>(),
                            outputs.as<kb_outputs>(), &context);
    check(cudaDeviceSynchronize(), "a call ended badly");
  }
  std::fprintf(stderr, "kbench-probe: ended with status %d\n", status);
  return 0;
}
