"""Convolution in one dimension, 3 taps that lie 4 apart, outputs 3 apart, no padding.
192 products an output; no two outputs share a position of x, so reuse is over channels alone.
"""

import torch
from torch import nn

BATCH = 64
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
STRIDE = 3
DILATION = 4
LENGTH = 524280

SMALL = {"BATCH": 4, "LENGTH": 24576}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, dilation):
        super().__init__()
        self.conv = nn.Conv1d(
            in_channels, out_channels, kernel_size, stride, dilation=dilation, bias=False
        )

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, LENGTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, LENGTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, DILATION]
