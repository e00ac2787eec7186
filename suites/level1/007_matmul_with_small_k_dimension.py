"""Matrix product with a short inner dimension: C = A B, A of M x K, B of K x N, K << M, N.
Writing C costs about as much as computing it, so stores have to overlap with products.
"""

import torch
from torch import nn

M = 32768
K = 64
N = 32768

SMALL = {"M": 3072, "N": 3072}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    # Signed: positive inputs would give every element of C the same sign and a mean of K / 4.
    return [torch.rand(M, K) * 2 - 1, torch.rand(K, N) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(M, K), torch.rand(K, N)]


def get_init_inputs():
    return []
