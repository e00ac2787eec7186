"""Inception module: 1x1, 1x1-3x3, 1x1-5x5 and pool-1x1 branches of one input, concatenated.
The 1x1 convolutions share a read of x, and each branch can write its slice of the result itself.
"""

import torch
from torch import nn

BATCH = 10
SIDE = 224
IN_CHANNELS = 480
OUT_1X1 = 192
REDUCE_3X3 = 96
OUT_3X3 = 208
REDUCE_5X5 = 16
OUT_5X5 = 48
POOL_PROJ = 64

SMALL = {"BATCH": 2, "SIDE": 28}


class Model(nn.Module):
    def __init__(
        self, in_channels, out_1x1, reduce_3x3, out_3x3, reduce_5x5, out_5x5, pool_proj
    ):
        super().__init__()
        self.branch1 = nn.Conv2d(in_channels, out_1x1, 1)
        self.branch3 = nn.Sequential(
            nn.Conv2d(in_channels, reduce_3x3, 1), nn.Conv2d(reduce_3x3, out_3x3, 3, padding=1)
        )
        self.branch5 = nn.Sequential(
            nn.Conv2d(in_channels, reduce_5x5, 1), nn.Conv2d(reduce_5x5, out_5x5, 5, padding=2)
        )
        self.branch_pool = nn.Sequential(
            nn.MaxPool2d(3, stride=1, padding=1), nn.Conv2d(in_channels, pool_proj, 1)
        )

    def forward(self, x):
        branches = [self.branch1(x), self.branch3(x), self.branch5(x), self.branch_pool(x)]
        return torch.cat(branches, dim=1)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every channel.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_1X1, REDUCE_3X3, OUT_3X3, REDUCE_5X5, OUT_5X5, POOL_PROJ]
