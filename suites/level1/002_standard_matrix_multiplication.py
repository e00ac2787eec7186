"""Matrix product: C = A B, A of M x K, B of K x N.
One compute-bound operator, nothing to fuse; K is twice as long as N, so splitting it may pay.
"""

import torch
from torch import nn

M = 2048
K = 8192
N = 4096

SMALL = {"M": 512, "K": 2048, "N": 1024}


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
