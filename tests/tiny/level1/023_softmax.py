"""Softmax over rows: y[i, j] = exp(x[i, j]) / sum_k exp(x[i, k]).
Maximum, sum and scaling fuse into two passes over a row, or one where the row fits on chip.
"""

import torch
from torch import nn

BATCH = 4096
FEATURES = 393216

SMALL = {"BATCH": 24, "FEATURES": 2560}


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=1)


def get_inputs():
    # On inputs from [0, 1) every output is near 1 / FEATURES, 2.5e-6, whatever the input: zeros, a
    # constant or the output of the call before would pass. A standard deviation of 4 spreads the
    # outputs over ten orders of magnitude. The shift of 96 changes nothing in exact arithmetic,
    # but overflows where the maximum of the row is not subtracted.
    return [torch.randn(BATCH, FEATURES) * 4 + 96]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
