"""Transposed convolution in three dimensions, 3 x 5 x 7 kernel over oblong volumes.
At stride 1 a convolution with the kernel turned: 3,360 products an output, each tile reused.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 32
OUT_CHANNELS = 16
KERNEL_SIZE = (3, 5, 7)
DEPTH = 16
HEIGHT = 32
WIDTH = 64

SMALL = {"BATCH": 2, "DEPTH": 8, "HEIGHT": 16, "WIDTH": 24}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.ConvTranspose3d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, HEIGHT, WIDTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
