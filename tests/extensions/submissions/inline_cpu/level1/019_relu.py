"""Rectifier in C++, one pass over memory."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
torch::Tensor relu(const torch::Tensor& x) {
  auto y = torch::empty_like(x);
  const float* in = x.const_data_ptr<float>();
  float* out = y.data_ptr<float>();
  const int64_t elements = x.numel();
#pragma omp parallel for simd num_threads(at::get_num_threads())
  for (int64_t i = 0; i < elements; ++i) out[i] = in[i] < 0 ? 0 : in[i];
  return y;
}
"""

kernels = load_inline(name="relu_cpu", cpp_sources=CPP, functions=["relu"],
                      extra_cflags=["-O3", "-march=native", "-fopenmp"], extra_ldflags=["-fopenmp"])


class ModelNew(nn.Module):
    def forward(self, x):
        return kernels.relu(x)
