"""Convolution, rectifier, hard swish: r = max(conv(x), 0), y = r clip((r + 3) / 6, 0, 1).
Five passes over 496 MiB are one short epilogue, whose lower clip never acts behind the rectifier.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 8
OUT_CHANNELS = 64
KERNEL_SIZE = 3
SIDE = 128

SMALL = {"BATCH": 4, "SIDE": 64}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        r = torch.relu(self.conv(x))
        return r * torch.clamp((r + 3) / 6, 0, 1)


def get_inputs():
    # On inputs from [0, 1) nothing reaches the upper clip at 3; with a deviation of 4 a tenth does.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
