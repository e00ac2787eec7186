"""Matrix product in Triton, in single precision throughout."""

import torch
import triton
import triton.language as tl
from torch import nn

TILE = 64
DEEP = 32


@triton.jit
def matmul_kernel(a, b, c, rows, inner, columns, TILE: tl.constexpr, DEEP: tl.constexpr):
    row = tl.program_id(1) * TILE + tl.arange(0, TILE)
    column = tl.program_id(0) * TILE + tl.arange(0, TILE)
    step = tl.arange(0, DEEP)
    sums = tl.zeros((TILE, TILE), tl.float32)
    for begin in range(0, inner, DEEP):
        k = begin + step
        left = tl.load(a + row[:, None] * inner + k[None, :],
                       mask=(row[:, None] < rows) & (k[None, :] < inner), other=0)
        right = tl.load(b + k[:, None] * columns + column[None, :],
                        mask=(k[:, None] < inner) & (column[None, :] < columns), other=0)
        sums = tl.dot(left, right, sums, input_precision="ieee")
    tl.store(c + row[:, None] * columns + column[None, :], sums,
             mask=(row[:, None] < rows) & (column[None, :] < columns))


class ModelNew(nn.Module):
    def forward(self, a, b):
        rows, inner = a.shape
        columns = b.shape[1]
        c = torch.empty((rows, columns), dtype=a.dtype, device=a.device)
        matmul_kernel[(triton.cdiv(columns, TILE), triton.cdiv(rows, TILE))](
            a, b, c, rows, inner, columns, TILE=TILE, DEEP=DEEP, num_warps=4)
        return c
