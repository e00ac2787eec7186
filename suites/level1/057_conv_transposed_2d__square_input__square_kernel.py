"""Transposed convolution in two dimensions: y[n, o, p + k] += w[c, o, k] x[n, c, p], 3 x 3 kernel.
At stride 1 it is a convolution with the kernel turned and padding 2: gather, do not scatter.
"""

import torch
from torch import nn

BATCH = 8
IN_CHANNELS = 64
OUT_CHANNELS = 64
KERNEL_SIZE = 3
SIDE = 1024

SMALL = {"BATCH": 2, "SIDE": 96}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
