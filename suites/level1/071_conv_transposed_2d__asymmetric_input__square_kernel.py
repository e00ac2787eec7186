"""Transposed convolution in two dimensions, 3 x 3 kernel, images twice as wide as high.
At stride 1 a convolution with the kernel turned: 288 products an output, close to memory-bound.
"""

import torch
from torch import nn

BATCH = 8
IN_CHANNELS = 32
OUT_CHANNELS = 32
KERNEL_SIZE = 3
HEIGHT = 512
WIDTH = 1024

SMALL = {"BATCH": 2, "HEIGHT": 128, "WIDTH": 256}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
