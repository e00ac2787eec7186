"""Matrix product with the left factor stored transposed: C = A^T B, A of K x M, B of K x N.
The same work as without the transpose, which is a matter of how tiles are read; never copy A.
"""

import torch
from torch import nn

M = 2048
K = 8192
N = 4096

SMALL = {"M": 512, "K": 2048, "N": 1024}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a.T, b)


def get_inputs():
    # Signed: with positive inputs all elements of C lie within a few per cent of K / 4.
    return [torch.rand(K, M) * 2 - 1, torch.rand(K, N) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(K, M), torch.rand(K, N)]


def get_init_inputs():
    return []
