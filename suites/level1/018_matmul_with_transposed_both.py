"""Matrix product with both factors stored transposed: C = A^T B^T, A of K x M, B of N x K.
It equals (B A)^T: compute that product and turn each tile on its way out.
"""

import torch
from torch import nn

M = 2048
K = 8192
N = 4096

SMALL = {"M": 512, "K": 2048, "N": 1024}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a.T, b.T)


def get_inputs():
    # Signed: with positive inputs all elements of C lie within a few per cent of K / 4.
    return [torch.rand(K, M) * 2 - 1, torch.rand(N, K) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(K, M), torch.rand(N, K)]


def get_init_inputs():
    return []
