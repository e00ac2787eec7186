"""Transposed 3D convolution, rectifier, group norm: y = groupnorm(max(t(x), 0)).
Rectifier and group moments fit the epilogue, so that the norm needs one more pass, not two.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
GROUPS = 8
BIAS = False
SIDE = 32

SMALL = {"BATCH": 2, "SIDE": 12}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups, bias):
        super().__init__()
        self.conv = nn.ConvTranspose3d(in_channels, out_channels, kernel_size, bias=bias)
        self.norm = nn.GroupNorm(groups, out_channels)

    def forward(self, x):
        return self.norm(torch.relu(self.conv(x)))


def get_inputs():
    # Signed: on positive inputs a channel's sign hangs on its weights alone.
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, GROUPS, BIAS]
