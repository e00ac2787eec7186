"""Convolution, minimum over channels, tanh twice: y = tanh(tanh(min_c conv(x))).
Tanh is taken of one value in 64; a tile that holds all channels of a pixel never writes them.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 16
OUT_CHANNELS = 64
KERNEL_SIZE = 3
SIDE = 256

SMALL = {"BATCH": 4, "SIDE": 64}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        y = torch.min(self.conv(x), dim=1, keepdim=True)[0]
        return torch.tanh(torch.tanh(y))


def get_inputs():
    # Signed, but no wider: minima of 64 channels beyond -3 would all come out as -0.76.
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
