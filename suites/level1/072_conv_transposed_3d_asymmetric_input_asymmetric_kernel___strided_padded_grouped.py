"""Transposed convolution in three dimensions, 3 x 5 x 7 kernel, stride 2, padded, in four groups.
An output meets only every second tap of each axis: sort by parity and skip the other products.
"""

import torch
from torch import nn

BATCH = 8
IN_CHANNELS = 32
OUT_CHANNELS = 32
KERNEL_SIZE = (3, 5, 7)
STRIDE = (2, 2, 2)
PADDING = (1, 2, 3)
OUTPUT_PADDING = (1, 1, 1)
GROUPS = 4
DEPTH = 12
HEIGHT = 24
WIDTH = 48

SMALL = {"BATCH": 2, "DEPTH": 8, "HEIGHT": 12, "WIDTH": 24}


class Model(nn.Module):
    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups
    ):
        super().__init__()
        self.conv = nn.ConvTranspose3d(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias=False,
        )

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, HEIGHT, WIDTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, OUTPUT_PADDING, GROUPS]
