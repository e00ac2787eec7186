"""Transposed convolution in two dimensions, 3 x 5 kernel, images twice as wide as high.
At stride 1 a convolution with the kernel turned and padding 2 and 4: 960 products an output.
"""

import torch
from torch import nn

BATCH = 64
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = (3, 5)
HEIGHT = 128
WIDTH = 256

SMALL = {"BATCH": 2, "HEIGHT": 48, "WIDTH": 96}


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
