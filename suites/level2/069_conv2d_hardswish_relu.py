"""Convolution, hard swish, rectifier: y = max(h(conv(x)), 0), h(z) = z clip(z + 3, 0, 6) / 6.
Two maps of 496 MiB each belong into the epilogue, where they are one clip and two products.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 128
IN_CHANNELS = 8
OUT_CHANNELS = 64
KERNEL_SIZE = 3
SIDE = 128

SMALL = {"BATCH": 4, "SIDE": 64}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        return torch.relu(F.hardswish(self.conv(x)))


def get_inputs():
    # On inputs from [0, 1) nothing reaches the bend at 3; with a deviation of 4 a tenth does.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
