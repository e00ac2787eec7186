"""Layer norm in CUDA: many blocks add up a sample, in double precision; then all of them scale."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <ATen/cuda/CUDAContext.h>

constexpr int kThreads = 256;
constexpr int kBlocks = 64;  // for a sample

__device__ double add_up(double value) {
  __shared__ double parts[kThreads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < kThreads / 32; ++i) sum += parts[i];
  __syncthreads();
  return sum;
}

__global__ void sums_kernel(const float* x, double* sums, long long elements) {
  const float* from = x + blockIdx.y * elements;
  double sum = 0;
  double squares = 0;
  for (long long i = blockIdx.x * kThreads + threadIdx.x; i < elements; i += kBlocks * kThreads) {
    const double value = from[i];
    sum += value;
    squares += value * value;
  }
  sum = add_up(sum);
  squares = add_up(squares);
  if (threadIdx.x != 0) return;
  sums[(blockIdx.y * kBlocks + blockIdx.x) * 2] = sum;
  sums[(blockIdx.y * kBlocks + blockIdx.x) * 2 + 1] = squares;
}

__global__ void scale_kernel(const float* x, const float* weight, const float* bias,
                             const double* sums, float* y, long long elements, double eps) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kBlocks; ++i) {
    sum += sums[(blockIdx.y * kBlocks + i) * 2];
    squares += sums[(blockIdx.y * kBlocks + i) * 2 + 1];
  }
  const double mean = sum / elements;
  const double scale = rsqrt(squares / elements - mean * mean + eps);
  const float* from = x + blockIdx.y * elements;
  float* to = y + blockIdx.y * elements;
  for (long long i = blockIdx.x * kThreads + threadIdx.x; i < elements; i += kBlocks * kThreads)
    to[i] = static_cast<float>((from[i] - mean) * scale * weight[i] + bias[i]);
}

torch::Tensor layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
  const long long samples = x.size(0);
  const long long elements = x.numel() / samples;
  auto y = torch::empty_like(x);
  auto sums = torch::empty({samples, kBlocks, 2}, x.options().dtype(torch::kFloat64));
  const auto stream = at::cuda::getCurrentCUDAStream();
  const dim3 grid(kBlocks, samples);
  sums_kernel<<<grid, kThreads, 0, stream>>>(x.const_data_ptr<float>(), sums.data_ptr<double>(),
                                             elements);
  scale_kernel<<<grid, kThreads, 0, stream>>>(
      x.const_data_ptr<float>(), weight.const_data_ptr<float>(), bias.const_data_ptr<float>(),
      sums.const_data_ptr<double>(), y.data_ptr<float>(), elements, eps);
  return y;
}
"""

CPP = "torch::Tensor layer_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps);"

kernels = load_inline(name="layer_norm_cuda", cpp_sources=CPP, cuda_sources=CUDA,
                      functions=["layer_norm"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.norm = nn.LayerNorm(normalized_shape)  # its parameters alone

    def forward(self, x):
        return kernels.layer_norm(x, self.norm.weight, self.norm.bias, self.norm.eps)
