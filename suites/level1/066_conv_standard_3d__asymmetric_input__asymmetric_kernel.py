"""Convolution in three dimensions, 3 x 5 x 7 kernel over flat volumes, no padding.
Three input channels and 105 kernel positions: unrolled, the sum has 315 terms and fills tiles.
"""

import torch
from torch import nn

BATCH = 8
IN_CHANNELS = 3
OUT_CHANNELS = 64
KERNEL_SIZE = (3, 5, 7)
DEPTH = 16
HEIGHT = 128
WIDTH = 128

SMALL = {"BATCH": 2, "DEPTH": 12, "HEIGHT": 40, "WIDTH": 36}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, HEIGHT, WIDTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
