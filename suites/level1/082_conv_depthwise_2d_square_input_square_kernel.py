"""Depthwise convolution: y[n, c] = w[c] * x[n, c], each channel with its own 3 x 3 kernel.
Nine products an output: bound by memory, if a tile with its rim is read once.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 64
KERNEL_SIZE = 3
STRIDE = 1
PADDING = 0
SIDE = 512

SMALL = {"BATCH": 4, "SIDE": 128}


class Model(nn.Module):
    def __init__(self, in_channels, kernel_size, stride, padding):
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels, in_channels, kernel_size, stride, padding, groups=in_channels, bias=False
        )

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output.
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, KERNEL_SIZE, STRIDE, PADDING]
