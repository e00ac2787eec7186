"""Convolution, then each plane normalised: y = (c - mean(c)) / sqrt(var(c) + eps) / d, c = conv(x).
The convolution can gather the moments as it writes, and the division folds into the factor.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
SIDE = 128
DIVISOR = 2.0

SMALL = {"BATCH": 4, "SIDE": 48}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, divisor):
        super().__init__()
        # No bias: the norm subtracts each plane's mean, and a bias with it, so that a submission
        # could leave such a parameter out unnoticed.
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, bias=False)
        self.norm = nn.InstanceNorm2d(out_channels)
        self.divisor = divisor

    def forward(self, x):
        return self.norm(self.conv(x)) / self.divisor


def get_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, DIVISOR]
