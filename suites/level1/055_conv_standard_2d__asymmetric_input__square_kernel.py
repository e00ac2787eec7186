"""Convolution in two dimensions, 3 x 3 kernel, images twice as wide as high, no padding.
Compute-bound at 576 products an output; the kernel lends itself to a Winograd transform.
"""

import torch
from torch import nn

BATCH = 8
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
HEIGHT = 512
WIDTH = 1024

SMALL = {"BATCH": 2, "HEIGHT": 48, "WIDTH": 96}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
