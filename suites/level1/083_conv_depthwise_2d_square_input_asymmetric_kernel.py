"""Depthwise convolution down the columns: y[n, c] = w[c] * x[n, c], 3 x 1 kernels.
Three products an output: bound by memory; a thread that walks down a column reads each pixel once.
"""

import torch
from torch import nn

BATCH = 64
IN_CHANNELS = 8
KERNEL_SIZE = 3
STRIDE = 1
PADDING = 0
DILATION = 1
SIDE = 512

SMALL = {"BATCH": 16, "SIDE": 256}


class Model(nn.Module):
    def __init__(self, in_channels, kernel_size, stride, padding, dilation):
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels,
            in_channels,
            (kernel_size,
            1),
            stride,
            padding,
            dilation,
            groups=in_channels,
            bias=False,
        )

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output.
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, DILATION]
