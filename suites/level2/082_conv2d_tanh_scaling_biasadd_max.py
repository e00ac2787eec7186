"""Convolution, tanh, scale, bias, max-pool: y = maxpool(s tanh(conv(x)) + b), window and stride p.
All four followers fuse into the convolution, and pooling first spares most tanh: it is monotonic.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 8
OUT_CHANNELS = 64
KERNEL_SIZE = 3
SIDE = 256
SCALE = 2.0
POOL = 4

SMALL = {"BATCH": 8, "SIDE": 64}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, scale, bias_shape, pool):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.scale = scale
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.pool = nn.MaxPool2d(pool)

    def forward(self, x):
        y = torch.tanh(self.conv(x)) * self.scale
        return self.pool(y + self.bias)


def get_inputs():
    # A standard deviation of 2 takes tanh well into its curved part; near zero it is the identity.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, SCALE, (OUT_CHANNELS, 1, 1), POOL]
