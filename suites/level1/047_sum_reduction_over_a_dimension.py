"""Sum over rows: y[b, 0, j] = sum_i x[b, i, j], the summed dimension is kept with size 1.
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
        return torch.sum(x, dim=self.dim, keepdim=True)


def get_inputs():
    # Signed: the sum of 4,096 inputs from [0, 1) is 2048 to within a few per cent, always.
    return [torch.randn(BATCH, ROWS, COLUMNS)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, ROWS, COLUMNS)]


def get_init_inputs():
    return [DIM]
