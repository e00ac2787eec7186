// y = max(x, 0); no torch in here.
#include <cuda_runtime.h>

namespace {

__global__ void relu_kernel(float* y, const float* x, long long elements) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += stride)
    y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern "C" void relu_launcher(float* y, const float* x, long long elements, int config,
                              cudaStream_t stream) {
  const int threads = config == 0 ? 256 : 512;
  relu_kernel<<<4096, threads, 0, stream>>>(y, x, elements);
}
