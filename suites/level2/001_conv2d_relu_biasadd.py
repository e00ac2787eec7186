"""Convolution, rectifier, then an added vector: y = max(conv(x), 0) + b, b one number a channel.
Rectifier and vector belong into the convolution's epilogue, which spares two passes over 1 GB.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
SIDE = 128

SMALL = {"BATCH": 4, "SIDE": 48}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        return torch.relu(self.conv(x)) + self.bias


def get_inputs():
    # A deviation of 2 brings the convolution to about 1.2, so that it weighs as much as the vector.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, (OUT_CHANNELS, 1, 1)]
