"""Convolution in three dimensions, 3 x 3 x 1 kernel over long, wide and thin volumes, no padding.
Slices along the last axis do not meet: it is a plane convolution whose pixels are 10 deep.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 3
OUT_CHANNELS = 64
KERNEL_SIZE = 3
SIDE = 256
DEPTH = 10

SMALL = {"BATCH": 2, "SIDE": 64}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, (kernel_size, kernel_size, 1), bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE, DEPTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE, DEPTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
