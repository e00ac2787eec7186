"""Convolution in two dimensions: y[n, o] = sum_c w[o, c] * x[n, c], square kernel, no padding.
One operator; 16 input channels make few products a load, so reuse of the loaded tile decides.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 16
OUT_CHANNELS = 128
KERNEL_SIZE = 3
SIDE = 1024

SMALL = {"BATCH": 2, "SIDE": 128}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
