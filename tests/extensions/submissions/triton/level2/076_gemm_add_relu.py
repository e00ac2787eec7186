"""y = max(x W^T + b, 0) in Triton, bias and rectifier in the product's epilogue."""

import torch
import triton
import triton.language as tl
from torch import nn

TILE = 64
DEEP = 32


@triton.jit
def gemm_kernel(x, weight, bias, y, rows, inner, columns, TILE: tl.constexpr, DEEP: tl.constexpr):
    row = tl.program_id(1) * TILE + tl.arange(0, TILE)
    column = tl.program_id(0) * TILE + tl.arange(0, TILE)
    step = tl.arange(0, DEEP)
    sums = tl.zeros((TILE, TILE), tl.float32)
    for begin in range(0, inner, DEEP):
        k = begin + step
        left = tl.load(x + row[:, None] * inner + k[None, :],
                       mask=(row[:, None] < rows) & (k[None, :] < inner), other=0)
        right = tl.load(weight + column[None, :] * inner + k[:, None],
                        mask=(column[None, :] < columns) & (k[:, None] < inner), other=0)
        sums = tl.dot(left, right, sums, input_precision="ieee")
    sums += tl.load(bias + column, mask=column < columns, other=0)[None, :]
    tl.store(y + row[:, None] * columns + column[None, :], tl.where(sums < 0, 0.0, sums),
             mask=(row[:, None] < rows) & (column[None, :] < columns))


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.empty(bias_shape))

    def forward(self, x):
        rows, inner = x.shape
        columns = self.linear.weight.shape[0]
        y = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
        gemm_kernel[(triton.cdiv(columns, TILE), triton.cdiv(rows, TILE))](
            x, self.linear.weight, self.bias, y, rows, inner, columns, TILE=TILE, DEEP=DEEP,
            num_warps=4)
        return y
