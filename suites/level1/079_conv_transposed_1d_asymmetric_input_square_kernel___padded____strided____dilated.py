"""Transposed convolution in one dimension, 3 taps, stride 2, padding 1, dilation 2.
Stride and dilation agree: odd outputs meet all three taps, even ones none and are 0: just write.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 32
OUT_CHANNELS = 64
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
DILATION = 2
LENGTH = 131072

SMALL = {"BATCH": 4, "LENGTH": 16384}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation):
        super().__init__()
        self.conv = nn.ConvTranspose1d(
            in_channels, out_channels, kernel_size, stride, padding, dilation=dilation, bias=False
        )

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, LENGTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, LENGTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, DILATION]
