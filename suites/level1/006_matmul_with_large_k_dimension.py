"""Matrix product with a long inner dimension: C = A B, A of M x K, B of K x N, K >> M, N.
Few tiles of C for a whole device: the sum over K is split and its parts are added up.
"""

import torch
from torch import nn

M = 256
K = 524288
N = 256

SMALL = {"K": 16384}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    # Signed: with positive inputs all elements of C lie within a thousandth of K / 4.
    return [torch.rand(M, K) * 2 - 1, torch.rand(K, N) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(M, K), torch.rand(K, N)]


def get_init_inputs():
    return []
