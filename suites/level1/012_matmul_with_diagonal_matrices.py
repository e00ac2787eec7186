"""Diagonal matrix times matrix: C = diag(a) B, that is C[i, j] = a[i] B[i, j].
Without building diag(a) it is a scaling of rows: one read of B and one write of C.
"""

import torch
from torch import nn

N = 4096
M = 4096

SMALL = {"N": 2048}


class Model(nn.Module):
    def forward(self, a, b):
        return a.unsqueeze(1) * b


def get_inputs():
    # Signed, so that a row scaled by the magnitude alone is wrong.
    return [torch.rand(N) * 2 - 1, torch.rand(N, M) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(N), torch.rand(N, M)]


def get_init_inputs():
    return []
