"""Transposed convolution in two dimensions, 3 x 3 kernel, stride 5, padding 1, dilation 2.
The stride exceeds the taps' number: an output meets one tap or none, so stores are the floor.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 32
OUT_CHANNELS = 64
KERNEL_SIZE = 3
STRIDE = 5
PADDING = 1
DILATION = 2
HEIGHT = 64
WIDTH = 128

SMALL = {"BATCH": 2, "HEIGHT": 32, "WIDTH": 64}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation):
        super().__init__()
        self.conv = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride, padding, dilation=dilation, bias=False
        )

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, DILATION]
