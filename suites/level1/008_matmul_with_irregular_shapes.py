"""Matrix product of odd sizes: C = A B, A of M x K, B of K x N, no size a multiple of a tile.
Compute-bound; rows start at unaligned addresses and edge tiles are partial, which is the point.
"""

import torch
from torch import nn

M = 8205
K = 2949
N = 5921

# Odd as well, so that the edges stay.
SMALL = {"M": 1029, "K": 741, "N": 1485}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    # Signed: with positive inputs all elements of C lie within a few per cent of K / 4.
    return [torch.rand(M, K) * 2 - 1, torch.rand(K, N) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(M, K), torch.rand(K, N)]


def get_init_inputs():
    return []
