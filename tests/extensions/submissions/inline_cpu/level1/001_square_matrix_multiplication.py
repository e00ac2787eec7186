"""Matrix product in C++: rows of C in blocks, with columns of a width that stays in the cache."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <algorithm>

torch::Tensor matmul(const torch::Tensor& a, const torch::Tensor& b) {
  const int64_t rows = a.size(0);
  const int64_t inner = a.size(1);
  const int64_t columns = b.size(1);
  auto c = torch::empty({rows, columns}, a.options());
  const float* left = a.const_data_ptr<float>();
  const float* right = b.const_data_ptr<float>();
  float* out = c.data_ptr<float>();
  constexpr int64_t kWidth = 256;
  constexpr int64_t kRows = 4;
#pragma omp parallel for collapse(2) num_threads(at::get_num_threads())
  for (int64_t row = 0; row < rows; row += kRows) {
    for (int64_t begin = 0; begin < columns; begin += kWidth) {
      const int64_t width = std::min(kWidth, columns - begin);
      const int64_t some = std::min(kRows, rows - row);
      float sums[kRows][kWidth] = {};
      for (int64_t k = 0; k < inner; ++k) {
        const float* line = right + k * columns + begin;
        for (int64_t r = 0; r < some; ++r) {
          const float factor = left[(row + r) * inner + k];
          for (int64_t i = 0; i < width; ++i) sums[r][i] += factor * line[i];
        }
      }
      for (int64_t r = 0; r < some; ++r)
        std::copy_n(sums[r], width, out + (row + r) * columns + begin);
    }
  }
  return c;
}
"""

kernels = load_inline(name="matmul_cpu", cpp_sources=CPP, functions=["matmul"],
                      extra_cflags=["-O3", "-march=native", "-fopenmp"], extra_ldflags=["-fopenmp"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return kernels.matmul(a, b)
