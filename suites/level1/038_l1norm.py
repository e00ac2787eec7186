"""Division of rows by their mean magnitude: y[i, j] = x[i, j] / mean_k |x[i, k]|.
Three operators unfused; fused, a row is read, summed and scaled while it is still on chip.
"""

import torch
from torch import nn

BATCH = 32768
FEATURES = 65535

# An odd row length as well: rows start unaligned.
SMALL = {"BATCH": 256, "FEATURES": 32767}


class Model(nn.Module):
    def forward(self, x):
        return x / torch.mean(torch.abs(x), dim=1, keepdim=True)


def get_inputs():
    # Signed: on inputs from [0, 1) the absolute value may be left out, and y is 2 x to within half
    # a per cent. The standard deviation of 3 keeps the divisor away from 1.
    return [torch.randn(BATCH, FEATURES) * 3]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
