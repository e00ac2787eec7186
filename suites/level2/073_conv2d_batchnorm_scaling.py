"""Convolution, batch norm, scale: y = s batchnorm(conv(x)).
Batch moments gather in the epilogue; norm and scale are one affine map a channel, in one pass.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 8
OUT_CHANNELS = 64
KERNEL_SIZE = 3
SIDE = 128
SCALE = 2.0

SMALL = {"BATCH": 4, "SIDE": 64}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, scale):
        super().__init__()
        # No bias: the norm subtracts each channel's mean, and a bias with it.
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, bias=False)
        self.norm = nn.BatchNorm2d(out_channels)
        self.scale = scale

    def forward(self, x):
        return self.norm(self.conv(x)) * self.scale


def get_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, SCALE]
