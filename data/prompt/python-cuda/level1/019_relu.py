"""Rectifier: an inline CUDA kernel, sixteen bytes a thread."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

constexpr int kThreads = 128;

__device__ float relu(float value) { return value < 0 ? 0 : value; }  // keeps NaN

__global__ void relu_kernel(const float4* x, float4* y, long long quads) {
  const long long index = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
  if (index >= quads) return;
  const float4 v = x[index];
  y[index] = make_float4(relu(v.x), relu(v.y), relu(v.z), relu(v.w));
}

void relu(torch::Tensor x, torch::Tensor y) {
  TORCH_CHECK(x.is_contiguous() && x.numel() % 4 == 0);
  const long long quads = x.numel() / 4;
  const auto blocks = static_cast<unsigned>((quads + kThreads - 1) / kThreads);
  relu_kernel<<<blocks, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const float4*>(x.data_ptr<float>()),
      reinterpret_cast<float4*>(y.data_ptr<float>()), quads);
}
"""

extension = load_inline(
    name="relu",
    cpp_sources="void relu(torch::Tensor x, torch::Tensor y);",
    cuda_sources=CUDA,
    functions=["relu"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        extension.relu(x, y)
        return y
