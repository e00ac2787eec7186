"""Convolution, minimum with a number, bias, scale: y = s (min(conv(x), c) + b).
Three cheap maps of 1 GB each, and all of them belong into the convolution's epilogue.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
SIDE = 128
CEILING = 0.5
SCALE = 2.0

SMALL = {"BATCH": 4, "SIDE": 48}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, ceiling, bias_shape, scale):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.ceiling = ceiling
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.scale = scale

    def forward(self, x):
        y = torch.clamp(self.conv(x), max=self.ceiling)
        return (y + self.bias) * self.scale


def get_inputs():
    # A deviation of 2 puts a third of the values above the ceiling; from [0, 1) few reach it.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, CEILING, (OUT_CHANNELS, 1, 1), SCALE]
