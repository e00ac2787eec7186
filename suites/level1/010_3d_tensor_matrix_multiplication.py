"""Stack of matrices times one matrix: C[i] = A[i] B, A of BATCH x M x K, B of K x N.
The stack is contiguous, so this is one tall product; nothing to fuse, reuse of B decides.
"""

import torch
from torch import nn

BATCH = 16
M = 1024
K = 2048
N = 768

SMALL = {"BATCH": 4, "M": 256, "K": 1024}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    # Signed: with positive inputs all elements of C lie within a few per cent of K / 4.
    return [torch.rand(BATCH, M, K) * 2 - 1, torch.rand(K, N) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, M, K), torch.rand(K, N)]


def get_init_inputs():
    return []
