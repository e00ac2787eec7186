"""Outer-product-like matrix product: C = A B, A of M x N and tall, B of N x M and wide, N << M.
With an inner dimension of 32 the write of C is the floor; the products must hide behind it.
"""

import torch
from torch import nn

M = 32768
N = 32

SMALL = {"M": 3072}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    # Signed: positive inputs would give every element of C the same sign and a mean of N / 4.
    return [torch.rand(M, N) * 2 - 1, torch.rand(N, M) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(M, N), torch.rand(N, M)]


def get_init_inputs():
    return []
