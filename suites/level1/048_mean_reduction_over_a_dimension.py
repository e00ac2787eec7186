"""Mean over rows: y[b, j] = 1 / ROWS sum_i x[b, i, j].
Bound by one read; neighbouring threads take neighbouring columns, and rows are split to fill up.
"""

import torch
from torch import nn

BATCH = 128
ROWS = 4096
COLUMNS = 4095
DIM = 1

# An odd number of columns as well: rows start unaligned.
SMALL = {"BATCH": 8, "ROWS": 1024, "COLUMNS": 1023}


class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.mean(x, dim=self.dim)


def get_inputs():
    # The mean of 4,096 inputs from [0, 1) is 0.5 to within a few per cent, always. With a standard
    # deviation of 64 the means are standard normal at full size: neither zeros nor a constant pass.
    return [torch.randn(BATCH, ROWS, COLUMNS) * 64]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, ROWS, COLUMNS)]


def get_init_inputs():
    return [DIM]
