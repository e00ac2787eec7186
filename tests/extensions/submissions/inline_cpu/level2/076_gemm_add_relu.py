"""y = max(x W^T + b, 0) in C++, bias and rectifier where the sums are. The weight is transposed once, in
kbench_prepare. Built in the constructor, as agents do, too."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <algorithm>

torch::Tensor gemm_add_relu(const torch::Tensor& x, const torch::Tensor& transposed,
                            const torch::Tensor& bias) {
  const int64_t rows = x.size(0);
  const int64_t inner = x.size(1);
  const int64_t columns = transposed.size(1);
  auto y = torch::empty({rows, columns}, x.options());
  const float* in = x.const_data_ptr<float>();
  const float* weight = transposed.const_data_ptr<float>();
  const float* added = bias.const_data_ptr<float>();
  float* out = y.data_ptr<float>();
  constexpr int64_t kWidth = 256;
#pragma omp parallel for collapse(2) num_threads(at::get_num_threads())
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t begin = 0; begin < columns; begin += kWidth) {
      const int64_t width = std::min(kWidth, columns - begin);
      float sums[kWidth] = {};
      for (int64_t k = 0; k < inner; ++k) {
        const float factor = in[row * inner + k];
        const float* line = weight + k * columns + begin;
        for (int64_t i = 0; i < width; ++i) sums[i] += factor * line[i];
      }
      for (int64_t i = 0; i < width; ++i)
        out[row * columns + begin + i] = std::max(sums[i] + added[begin + i], 0.0f);
    }
  }
  return y;
}
"""


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.empty(bias_shape))
        self.kernels = load_inline(
            name="gemm_add_relu_cpu", cpp_sources=[CPP], functions=["gemm_add_relu"],
            extra_cflags=["-O3", "-march=native", "-fopenmp"], extra_ldflags=["-fopenmp"])

    def kbench_prepare(self):
        self.transposed = self.linear.weight.detach().t().contiguous()

    def forward(self, x):
        return self.kernels.gemm_add_relu(x, self.transposed, self.bias)
