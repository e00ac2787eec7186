"""Convolution, GELU, global mean: y = mean_hw(gelu(conv(x))).
GELU and the sum fit the epilogue: 32 KiB leave the chip instead of 2 GB.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 128
IN_CHANNELS = 8
OUT_CHANNELS = 64
KERNEL_SIZE = 3
SIDE = 256

SMALL = {"BATCH": 4, "SIDE": 64}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        mend_parameters(self)

    def forward(self, x):
        y = F.adaptive_avg_pool2d(F.gelu(self.conv(x)), 1)
        return y.squeeze(-1).squeeze(-1)


def mend_parameters(model):
    # The mean of GELU is about 0.3 in every channel and sample. Biases this wide make
    # channels differ, and cover GELU's flat, curved and straight parts.
    nn.init.normal_(model.conv.bias, std=2.0)


def get_inputs():
    # Signed: on inputs from [0, 1) a channel's mean hardly depends on the sample.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
