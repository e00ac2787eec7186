"""3D convolution, softmax over channels, max-pool twice: y = maxpool(maxpool(softmax_c(conv(x)))).
The 16 channels of a voxel fit registers, and pooling leaves 1/85 of them to be written.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 3
OUT_CHANNELS = 16
KERNEL_SIZE = 3
DEPTH = 16
SIDE = 32
POOL = 2

SMALL = {"BATCH": 8}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, pool):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.pool1 = nn.MaxPool3d(pool)
        self.pool2 = nn.MaxPool3d(pool)

    def forward(self, x):
        y = torch.softmax(self.conv(x), dim=1)
        return self.pool2(self.pool1(y))


def get_inputs():
    # On inputs from [0, 1) all channels are near 1/16. A deviation of 4 lets single channels win.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, POOL]
