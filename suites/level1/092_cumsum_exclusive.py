"""Running sum without the element itself: y[i, j] = sum of x[i, k] over k < j, so y[i, 0] = 0.
Zeros, scan and concatenation are three passes unfused; a scan that stores before it adds is one.
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
        sums = torch.cumsum(x.narrow(self.dim, 0, x.size(self.dim) - 1), dim=self.dim)
        first = torch.zeros_like(x.narrow(self.dim, 0, 1))
        return torch.cat([first, sums], dim=self.dim)


def get_inputs():
    # Signed: sums of inputs from [0, 1) are j / 2 to within a per cent along most of a row.
    return [torch.rand(BATCH, FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return [DIM]
