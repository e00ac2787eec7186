"""Depthwise convolution: y[n, c] = w[c] * x[n, c], 3 x 3 kernels, images twice as wide as high.
Nine products an output: bound by memory, if a tile with its rim is read once.
"""

import torch
from torch import nn

BATCH = 64
IN_CHANNELS = 128
OUT_CHANNELS = 128
KERNEL_SIZE = 3
STRIDE = 1
PADDING = 0
HEIGHT = 256
WIDTH = 512

SMALL = {"BATCH": 4, "HEIGHT": 64, "WIDTH": 128}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding):
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels, out_channels, kernel_size, stride, padding, groups=in_channels, bias=False
        )

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output.
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING]
