"""Mean over tiles: y[i, j] = mean of the 11 x 11 window that starts at (11 i, 11 j).
Windows do not overlap and 121 times less is written than read: one coalesced read is the floor.
"""

import torch
from torch import nn

BATCH = 16
FEATURES = 64
SIDE = 2048
KERNEL_SIZE = 11

SMALL = {"BATCH": 2, "FEATURES": 16, "SIDE": 512}


class Model(nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.pool = nn.AvgPool2d(kernel_size)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    # Signed: the mean of 121 positive inputs would lie within a few per cent of 0.5 everywhere.
    return [torch.rand(BATCH, FEATURES, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES, SIDE, SIDE)]


def get_init_inputs():
    return [KERNEL_SIZE]
