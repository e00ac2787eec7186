"""Layer norm in Triton: many programs add up a sample; then all of them scale."""

import torch
import triton
import triton.language as tl
from torch import nn

BLOCK = 2048
PARTS = 64  # of a sample


@triton.jit
def sums_kernel(x, sums, elements, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    sample = tl.program_id(1).to(tl.int64)
    total = tl.zeros((BLOCK,), tl.float64)
    squares = tl.zeros((BLOCK,), tl.float64)
    for start in range(part * BLOCK, elements, PARTS * BLOCK):
        at = start + tl.arange(0, BLOCK)
        value = tl.load(x + sample * elements + at, mask=at < elements, other=0).to(tl.float64)
        total += value
        squares += value * value
    place = sums + (sample * PARTS + part) * 2
    tl.store(place, tl.sum(total, 0))
    tl.store(place + 1, tl.sum(squares, 0))


@triton.jit
def scale_kernel(x, weight, bias, sums, y, elements, eps, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    sample = tl.program_id(1).to(tl.int64)
    each = tl.arange(0, PARTS)
    mean = tl.sum(tl.load(sums + (sample * PARTS + each) * 2), 0) / elements
    square = tl.sum(tl.load(sums + (sample * PARTS + each) * 2 + 1), 0) / elements
    scale = 1 / tl.sqrt(square - mean * mean + eps)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < elements
    value = tl.load(x + sample * elements + at, mask=inside).to(tl.float64)
    scaled = (value - mean) * scale * tl.load(weight + at, mask=inside) + tl.load(bias + at, mask=inside)
    tl.store(y + sample * elements + at, scaled.to(tl.float32), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.norm = nn.LayerNorm(normalized_shape)  # its parameters alone

    def forward(self, x):
        samples = x.shape[0]
        elements = x.numel() // samples
        y = torch.empty_like(x)
        sums = torch.empty((samples, PARTS, 2), dtype=torch.float64, device=x.device)
        sums_kernel[(PARTS, samples)](x, sums, elements, PARTS=PARTS, BLOCK=BLOCK, num_warps=8)
        scale_kernel[(triton.cdiv(elements, BLOCK), samples)](
            x, self.norm.weight, self.norm.bias, sums, y, elements, self.norm.eps, PARTS=PARTS,
            BLOCK=BLOCK, num_warps=8)
        return y
