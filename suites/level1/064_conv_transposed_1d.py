"""Transposed convolution in one dimension: y[n, o, p + k] += w[c, o, k] x[n, c, p], 3 taps.
At stride 1 a convolution with the taps turned: three products of matrices on shifted inputs.
"""

import torch
from torch import nn

BATCH = 64
IN_CHANNELS = 128
OUT_CHANNELS = 128
KERNEL_SIZE = 3
LENGTH = 65536

SMALL = {"BATCH": 4, "LENGTH": 4096}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.ConvTranspose1d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, LENGTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, LENGTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
