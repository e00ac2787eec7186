"""Batched matrix product: C[i] = A[i] B[i], A[i] of M x K, B[i] of K x N.
Compute-bound and without fusion; the batch alone fills the device, so each product may stay whole.
"""

import torch
from torch import nn

BATCH = 128
M = 512
K = 1024
N = 2048

SMALL = {"BATCH": 8, "M": 256, "K": 512, "N": 1024}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.bmm(a, b)


def get_inputs():
    # Signed: with positive inputs all elements of C lie within a few per cent of K / 4.
    return [torch.rand(BATCH, M, K) * 2 - 1, torch.rand(BATCH, K, N) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, M, K), torch.rand(BATCH, K, N)]


def get_init_inputs():
    return []
