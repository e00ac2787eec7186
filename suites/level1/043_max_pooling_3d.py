"""Maximum over dilated 3 x 3 x 3 windows two voxels apart; outside the volume is -infinity.
Eight times less is written than read: bound by reading the volume once in spite of the dilation.
"""

import torch
from torch import nn

BATCH = 16
FEATURES = 32
SIDE = 128
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
DILATION = 3

SMALL = {"BATCH": 4, "SIDE": 32}


class Model(nn.Module):
    def __init__(self, kernel_size, stride, padding, dilation):
        super().__init__()
        self.pool = nn.MaxPool3d(kernel_size, stride, padding, dilation)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    # Three of four are negative, so that the edges matter: on inputs from [0, 1) padding with zeros
    # instead of -infinity is the same.
    return [torch.rand(BATCH, FEATURES, SIDE, SIDE, SIDE) * 4 - 3]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES, SIDE, SIDE, SIDE)]


def get_init_inputs():
    return [KERNEL_SIZE, STRIDE, PADDING, DILATION]
