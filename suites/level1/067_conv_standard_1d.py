"""Convolution in one dimension: y[n, o, p] = sum of w[o, c, k] x[n, c, p + k], 3 taps, no padding.
192 products an output: three matrix products on shifted views that share one loaded tile.
"""

import torch
from torch import nn

BATCH = 32
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
LENGTH = 131072

SMALL = {"BATCH": 4, "LENGTH": 8192}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, LENGTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, LENGTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
