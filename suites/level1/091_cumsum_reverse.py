"""Running sum from the right: y[i, j] = sum of x[i, k] over k >= j.
Flip, scan and flip are three passes unfused; a scan that simply starts at the end is one.
"""

import torch
from torch import nn

BATCH = 32768
FEATURES = 32768
DIM = 1

SMALL = {"BATCH": 512, "FEATURES": 8192}


class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.cumsum(x.flip(self.dim), dim=self.dim).flip(self.dim)


def get_inputs():
    # Signed: sums of inputs from [0, 1) are half the number of terms to within a per cent.
    return [torch.rand(BATCH, FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return [DIM]
