"""Maximum over rows: y[b, j] = max_i x[b, i, j].
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
        return torch.max(x, dim=self.dim).values


def get_inputs():
    # The largest of 4,096 inputs from [0, 1) is 0.9998: a constant, or the output of the call
    # before, would pass. The largest of normal ones varies by a tenth.
    return [torch.randn(BATCH, ROWS, COLUMNS)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, ROWS, COLUMNS)]


def get_init_inputs():
    return [DIM]
