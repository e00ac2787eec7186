"""Transposed convolution in three dimensions, 3 x 3 x 3 kernel, stride 2, padding 1, four groups.
Outputs of even and odd position meet different taps, one to eight of 27: sort them by parity.
"""

import torch
from torch import nn

BATCH = 4
IN_CHANNELS = 32
OUT_CHANNELS = 32
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
GROUPS = 4
DEPTH = 32
HEIGHT = 64
WIDTH = 128

SMALL = {"BATCH": 2, "DEPTH": 12, "HEIGHT": 16, "WIDTH": 32}


class Model(nn.Module):
    # KernelBench's layer of this name takes the number of groups and ignores it; this one is in
    # groups, which is a fourth of the products and of the weights.
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups):
        super().__init__()
        self.conv = nn.ConvTranspose3d(
            in_channels, out_channels, kernel_size, stride, padding, groups=groups, bias=False
        )

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, HEIGHT, WIDTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, GROUPS]
