"""Layer norm in C++: sums of a sample in double precision, then one pass that scales."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <cmath>

torch::Tensor layer_norm(const torch::Tensor& x, const torch::Tensor& weight,
                         const torch::Tensor& bias, double eps) {
  const int64_t samples = x.size(0);
  const int64_t elements = x.numel() / samples;
  auto y = torch::empty_like(x);
  const float* in = x.const_data_ptr<float>();
  const float* w = weight.const_data_ptr<float>();
  const float* b = bias.const_data_ptr<float>();
  float* out = y.data_ptr<float>();
#pragma omp parallel for num_threads(at::get_num_threads())
  for (int64_t sample = 0; sample < samples; ++sample) {
    const float* from = in + sample * elements;
    float* to = out + sample * elements;
    double sum = 0;
    for (int64_t i = 0; i < elements; ++i) sum += from[i];
    const double mean = sum / elements;
    double squares = 0;
    for (int64_t i = 0; i < elements; ++i) squares += (from[i] - mean) * (from[i] - mean);
    const double scale = 1 / std::sqrt(squares / elements + eps);
    for (int64_t i = 0; i < elements; ++i)
      to[i] = static_cast<float>((from[i] - mean) * scale * w[i] + b[i]);
  }
  return y;
}
"""

kernels = load_inline(name="layer_norm_cpu", cpp_sources=CPP, functions=["layer_norm"],
                      extra_cflags=["-O3", "-march=native", "-fopenmp"], extra_ldflags=["-fopenmp"])


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.norm = nn.LayerNorm(normalized_shape)  # its parameters alone

    def forward(self, x):
        return kernels.layer_norm(x, self.norm.weight, self.norm.bias, self.norm.eps)
