"""Convolution, subtract, tanh, subtract, mean pool: y = avgpool(tanh(conv(x) - a) - b).
Four followers in one epilogue write a quarter of the values, and b can be taken off after the pool.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
SIDE = 128
SUBTRACT1 = 0.5
SUBTRACT2 = 0.2
POOL = 2

SMALL = {"BATCH": 4, "SIDE": 48}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, subtract1, subtract2, pool):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.subtract1 = subtract1
        self.subtract2 = subtract2
        self.pool = nn.AvgPool2d(pool)

    def forward(self, x):
        y = torch.tanh(self.conv(x) - self.subtract1)
        return self.pool(y - self.subtract2)


def get_inputs():
    # A deviation of 2 takes tanh into its curved part on both sides.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, SUBTRACT1, SUBTRACT2, POOL]
