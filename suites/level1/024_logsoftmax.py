"""Logarithm of softmax over rows: y[i, j] = x[i, j] - log sum_k exp(x[i, k]).
Maximum and sum come from one pass over a row, the subtraction needs a second: two reads, one write.
"""

import torch
from torch import nn

BATCH = 4096
FEATURES = 393216

SMALL = {"BATCH": 1024, "FEATURES": 8192}


class Model(nn.Module):
    def forward(self, x):
        return torch.log_softmax(x, dim=1)


def get_inputs():
    # On inputs from [0, 1) every output is -log(FEATURES) - 0.54 + x: the row sum hardly varies, so
    # a constant does in its place. A standard deviation of 4 lets the largest elements of a row
    # decide. The shift of 96 overflows where the maximum of the row is not subtracted.
    return [torch.randn(BATCH, FEATURES) * 4 + 96]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
