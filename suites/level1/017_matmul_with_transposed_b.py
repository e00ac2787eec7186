"""Matrix product with the right factor stored transposed: C = A B^T, A of M x K, B of N x K.
Every element is a dot product of two contiguous rows; nothing to fuse, never copy B.
"""

import torch
from torch import nn

M = 2048
K = 8192
N = 4096

SMALL = {"M": 512, "K": 2048, "N": 1024}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b.T)


def get_inputs():
    # Signed: with positive inputs all elements of C lie within a few per cent of K / 4.
    return [torch.rand(M, K) * 2 - 1, torch.rand(N, K) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(M, K), torch.rand(N, K)]


def get_init_inputs():
    return []
