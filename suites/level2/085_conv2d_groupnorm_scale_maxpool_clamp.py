"""Convolution, group norm, scale, max-pool, clamp: y = clip(maxpool(s groupnorm(conv(x))), a, b).
Group moments gather in the epilogue; the second pass pools 16 to 1 and writes 30 MiB.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 8
OUT_CHANNELS = 64
KERNEL_SIZE = 3
GROUPS = 16
POOL = 4
LOWEST = 0.0
HIGHEST = 1.0
SIDE = 128

SMALL = {"BATCH": 4, "SIDE": 64}


class Model(nn.Module):
    def __init__(
        self, in_channels, out_channels, kernel_size, groups, scale_shape, pool, lowest, highest
    ):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.norm = nn.GroupNorm(groups, out_channels)
        self.scale = nn.Parameter(torch.ones(scale_shape))
        self.pool = nn.MaxPool2d(pool)
        self.lowest = lowest
        self.highest = highest
        mend_parameters(self)

    def forward(self, x):
        y = self.pool(self.norm(self.conv(x)) * self.scale)
        return torch.clamp(y, self.lowest, self.highest)


def mend_parameters(model):
    # The maximum of 16 normalised values is 1.8, and a scale of 1 clips nearly all of them to
    # the upper end. Biases this wide and these scales bring most of them between the two.
    nn.init.uniform_(model.norm.bias, -2.0, 1.0)
    nn.init.uniform_(model.scale, 0.0, 0.8)


def get_inputs():
    # Signed: on positive inputs the channels' means, which weights decide, outweigh the rest.
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [
        IN_CHANNELS,
        OUT_CHANNELS,
        KERNEL_SIZE,
        GROUPS,
        (OUT_CHANNELS, 1, 1),
        POOL,
        LOWEST,
        HIGHEST,
    ]
