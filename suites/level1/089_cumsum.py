"""Running sum along rows: y[i, j] = sum of x[i, k] over k <= j.
One read and one write are the floor; a row is scanned in tiles that hand their totals on.
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
        return torch.cumsum(x, dim=self.dim)


def get_inputs():
    # Signed: sums of inputs from [0, 1) are j / 2 to within a per cent along most of a row.
    return [torch.rand(BATCH, FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return [DIM]
