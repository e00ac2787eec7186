"""Transposed convolution in two dimensions, 3 x 7 kernel, padding (1, 3): the image keeps its size.
At stride 1 a convolution with the kernel turned: 672 products an output, each row reused 7-fold.
"""

import torch
from torch import nn

BATCH = 8
IN_CHANNELS = 32
OUT_CHANNELS = 32
KERNEL_SIZE = (3, 7)
STRIDE = (1, 1)
PADDING = (1, 3)
HEIGHT = 512
WIDTH = 1024

SMALL = {"BATCH": 2, "HEIGHT": 96, "WIDTH": 192}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding):
        super().__init__()
        self.conv = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride, padding, bias=False
        )

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING]
