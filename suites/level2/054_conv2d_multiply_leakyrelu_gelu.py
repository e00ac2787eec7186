"""Convolution, scale a channel, leaky rectifier, GELU: y = gelu(l(s conv(x))).
Scale, rectifier and GELU fit the convolution's epilogue: three passes over 1 GB less.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 64
IN_CHANNELS = 64
OUT_CHANNELS = 64
KERNEL_SIZE = 3
SIDE = 256

SMALL = {"BATCH": 4, "SIDE": 48}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, multiplier_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.multiplier = nn.Parameter(torch.randn(multiplier_shape))

    def forward(self, x):
        y = F.leaky_relu(self.conv(x) * self.multiplier)
        return F.gelu(y)


def get_inputs():
    # A deviation of 3 takes GELU through its bend.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 3]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, (OUT_CHANNELS, 1, 1)]
