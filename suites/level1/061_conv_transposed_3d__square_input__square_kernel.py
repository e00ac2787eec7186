"""Transposed convolution in three dimensions, 3 x 3 x 3 kernel over cubes.
At stride 1 a convolution with the kernel turned and padding 2: 1,296 products an output.
"""

import torch
from torch import nn

BATCH = 8
IN_CHANNELS = 48
OUT_CHANNELS = 48
KERNEL_SIZE = 3
SIDE = 64

SMALL = {"BATCH": 2, "SIDE": 16}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.ConvTranspose3d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
