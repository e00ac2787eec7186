"""Square matrix product: C = A B, A and B of N x N.
One compute-bound operator, nothing to fuse; time is won by tiling and instruction choice alone.
"""

import torch
from torch import nn

N = 4096

SMALL = {"N": 192}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    # Signed: with positive inputs all elements of C lie within a few per cent of N / 4.
    return [torch.rand(N, N) * 2 - 1, torch.rand(N, N) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(N, N), torch.rand(N, N)]


def get_init_inputs():
    return []
