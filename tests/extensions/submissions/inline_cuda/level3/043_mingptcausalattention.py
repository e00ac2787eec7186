"""Causal self-attention in CUDA: both projections by one tiled product, and a warp for each query, which
carries maximum, sum and result along over the keys."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <ATen/cuda/CUDAContext.h>

constexpr int kTile = 64;
constexpr int kDeep = 16;
constexpr int kMostParts = 4;  // of a head's depth, 32 lanes each
constexpr int kWarps = 8;

__global__ void linear_kernel(const float* x, const float* weight, const float* bias, float* y,
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
      if (r < rows && c < columns) y[static_cast<long long>(r) * columns + c] = sums[i][j] + bias[c];
    }
  }
}

__device__ float add_up(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

// qkv: [batch, steps, 3 width].
__global__ void attention_kernel(const float* qkv, float* y, int batch, int steps, int heads,
                                 int depth) {
  const long long query = static_cast<long long>(blockIdx.x) * kWarps + threadIdx.x / 32;
  if (query >= static_cast<long long>(batch) * heads * steps) return;
  const int lane = threadIdx.x % 32;
  const int step = query % steps;
  const int head = query / steps % heads;
  const int one = query / steps / heads;
  const long long width = heads * depth;
  const float* base = qkv + static_cast<long long>(one) * steps * 3 * width + head * depth;
  const float scale = rsqrtf(static_cast<float>(depth));
  float mine[kMostParts] = {};
  float result[kMostParts] = {};
  for (int part = 0; part < kMostParts; ++part) {
    const int i = part * 32 + lane;
    if (i < depth) mine[part] = base[step * 3 * width + i];
  }
  float most = -INFINITY;
  float total = 0;
  for (int other = 0; other <= step; ++other) {
    const float* key = base + other * 3 * width + width;
    const float* value = key + width;
    float score = 0;
    for (int part = 0; part < kMostParts; ++part) {
      const int i = part * 32 + lane;
      if (i < depth) score += mine[part] * key[i];
    }
    score = add_up(score) * scale;
    const float higher = fmaxf(most, score);
    const float shrink = expf(most - higher);
    const float weight = expf(score - higher);
    total = total * shrink + weight;
    for (int part = 0; part < kMostParts; ++part) {
      const int i = part * 32 + lane;
      if (i < depth) result[part] = result[part] * shrink + weight * value[i];
    }
    most = higher;
  }
  float* to = y + (static_cast<long long>(one) * steps + step) * width + head * depth;
  for (int part = 0; part < kMostParts; ++part) {
    const int i = part * 32 + lane;
    if (i < depth) to[i] = result[part] / total;
  }
}

torch::Tensor linear(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  const int inner = x.size(-1);
  const int rows = x.numel() / inner;
  const int columns = weight.size(0);
  auto y = torch::empty({x.size(0), x.size(1), columns}, x.options());
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  linear_kernel<<<grid, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<float>(), weight.const_data_ptr<float>(), bias.const_data_ptr<float>(),
      y.data_ptr<float>(), rows, inner, columns);
  return y;
}

torch::Tensor attention(torch::Tensor qkv, int64_t heads) {
  const int batch = qkv.size(0);
  const int steps = qkv.size(1);
  const int width = qkv.size(2) / 3;
  const int depth = width / heads;
  TORCH_CHECK(depth <= 32 * kMostParts, "a head is too deep");
  auto y = torch::empty({batch, steps, width}, qkv.options());
  const long long queries = static_cast<long long>(batch) * heads * steps;
  attention_kernel<<<(queries + kWarps - 1) / kWarps, 32 * kWarps, 0,
                     at::cuda::getCurrentCUDAStream()>>>(
      qkv.const_data_ptr<float>(), y.data_ptr<float>(), batch, steps, heads, depth);
  return y;
}
"""

CPP = """
torch::Tensor linear(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);
torch::Tensor attention(torch::Tensor qkv, int64_t heads);
"""

kernels = load_inline(name="attention_cuda", cpp_sources=CPP, cuda_sources=CUDA,
                      functions=["linear", "attention"], extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def __init__(self, width, heads, attention_dropout, output_dropout, max_steps):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        causal = torch.tril(torch.ones(max_steps, max_steps))
        self.register_buffer("mask", causal.view(1, 1, max_steps, max_steps))

    def forward(self, x):
        mixed = kernels.attention(kernels.linear(x, self.qkv.weight, self.qkv.bias), self.heads)
        return kernels.linear(mixed, self.proj.weight, self.proj.bias)
