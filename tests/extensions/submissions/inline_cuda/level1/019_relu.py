"""Rectifier in CUDA; native_cuda/level1/019_relu.cu has the same kernel, to compare their times."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <ATen/cuda/CUDAContext.h>

__global__ void relu_kernel(const float4* x, float4* y, long long quads) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < quads;
       i += stride) {
    float4 v = __ldcs(x + i);
    v.x = v.x < 0 ? 0 : v.x;
    v.y = v.y < 0 ? 0 : v.y;
    v.z = v.z < 0 ? 0 : v.z;
    v.w = v.w < 0 ? 0 : v.w;
    __stcs(y + i, v);
  }
}

torch::Tensor relu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const long long quads = x.numel() / 4;
  const long long wanted = (quads + 255) / 256;
  const unsigned blocks = static_cast<unsigned>(wanted < 65536 ? wanted : 65536);
  relu_kernel<<<blocks, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      reinterpret_cast<const float4*>(x.const_data_ptr<float>()),
      reinterpret_cast<float4*>(y.data_ptr<float>()), quads);
  return y;
}
"""

kernels = load_inline(name="relu_cuda", cpp_sources="torch::Tensor relu(torch::Tensor x);",
                      cuda_sources=CUDA, functions=["relu"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x):
        return kernels.relu(x)
