"""Convolution in three dimensions: y[n, o] = sum_c w[o, c] * x[n, c], cubic kernel, no padding.
Only 81 products an output: writing 64 channels for 3 read makes the stores the floor.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 3
OUT_CHANNELS = 64
KERNEL_SIZE = 3
SIDE = 64

SMALL = {"BATCH": 2, "SIDE": 32}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
