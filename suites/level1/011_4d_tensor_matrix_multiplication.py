"""Contraction of the last axis: C[b, i, j, k] = sum_l A[b, i, j, l] B[l, k].
The leading axes fold into one, which leaves a single tall product that reuses B throughout.
"""

import torch
from torch import nn

BATCH = 8
I = 256
J = 512
L = 256
K = 768

SMALL = {"BATCH": 2, "I": 32, "J": 64}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.einsum("bijl,lk->bijk", a, b)


def get_inputs():
    # Signed: with positive inputs all elements of C lie within a few per cent of L / 4.
    return [torch.rand(BATCH, I, J, L) * 2 - 1, torch.rand(L, K) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, I, J, L), torch.rand(L, K)]


def get_init_inputs():
    return []
