"""Convolution, shift, scale, sigmoid, group norm: y = groupnorm(sigmoid(s (conv(x) + b))).
The three maps and the group moments fuse into the convolution; the norm is one more pass.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 8
OUT_CHANNELS = 32
KERNEL_SIZE = 3
SIDE = 256
GROUPS = 8

SMALL = {"BATCH": 4, "SIDE": 64}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups, bias_shape, scale_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.scale = nn.Parameter(torch.randn(scale_shape))
        self.norm = nn.GroupNorm(groups, out_channels)

    def forward(self, x):
        y = torch.sigmoid((self.conv(x) + self.bias) * self.scale)
        return self.norm(y)


def get_inputs():
    # A deviation of 4 takes the sigmoid off its straight part, which the norm would undo.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [
        IN_CHANNELS,
        OUT_CHANNELS,
        KERNEL_SIZE,
        GROUPS,
        (OUT_CHANNELS, 1, 1),
        (OUT_CHANNELS, 1, 1),
    ]
