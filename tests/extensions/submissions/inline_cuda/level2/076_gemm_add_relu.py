"""y = max(x W^T + b, 0) in CUDA, bias and rectifier applied to the sums. Built in the constructor."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <ATen/cuda/CUDAContext.h>

constexpr int kTile = 64;
constexpr int kDeep = 16;

__global__ void gemm_kernel(const float* x, const float* weight, const float* bias, float* y,
                            int rows, int inner, int columns) {
  __shared__ float left[kDeep][kTile + 1];
  __shared__ float right[kDeep][kTile + 1];
  const int row = blockIdx.y * kTile;
  const int column = blockIdx.x * kTile;
  const int tx = threadIdx.x % 16;
  const int ty = threadIdx.x / 16;
  float sums[4][4] = {};
  for (int begin = 0; begin < inner; begin += kDeep) {
    for (int i = threadIdx.x; i < kTile * kDeep; i += 256) {
      const int k = begin + i % kDeep;
      const int r = row + i / kDeep;
      const int c = column + i / kDeep;
      left[i % kDeep][i / kDeep] =
          r < rows && k < inner ? x[static_cast<long long>(r) * inner + k] : 0;
      right[i % kDeep][i / kDeep] =
          c < columns && k < inner ? weight[static_cast<long long>(c) * inner + k] : 0;
    }
    __syncthreads();
    for (int k = 0; k < kDeep; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] += left[k][ty * 4 + i] * right[k][tx * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int r = row + ty * 4 + i;
      const int c = column + tx * 4 + j;
      if (r >= rows || c >= columns) continue;
      const float value = sums[i][j] + bias[c];
      y[static_cast<long long>(r) * columns + c] = value < 0 ? 0 : value;
    }
  }
}

torch::Tensor gemm_add_relu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  const int rows = x.size(0);
  const int inner = x.size(1);
  const int columns = weight.size(0);
  auto y = torch::empty({rows, columns}, x.options());
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  gemm_kernel<<<grid, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), weight.const_data_ptr<float>(), bias.const_data_ptr<float>(),
      y.data_ptr<float>(), rows, inner, columns);
  return y;
}
"""

CPP = "torch::Tensor gemm_add_relu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);"


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.empty(bias_shape))
        self.kernels = load_inline(name="gemm_add_relu_cuda", cpp_sources=CPP, cuda_sources=CUDA,
                                   functions=["gemm_add_relu"], extra_cuda_cflags=["-O3"])

    def forward(self, x):
        return self.kernels.gemm_add_relu(x, self.linear.weight, self.bias)
