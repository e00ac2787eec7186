"""Transposed convolution, max-pool, hardtanh, mean, tanh: y = tanh(mean_hw(clip(maxpool(t(x))))).
Everything up to the mean fuses into the convolution, which then writes one number a channel.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 128
IN_CHANNELS = 64
OUT_CHANNELS = 64
KERNEL_SIZE = 3
STRIDE = 1
PADDING = 1
SIDE = 256
POOL = 2
POOL_STRIDE = 2
LOWEST = -1
HIGHEST = 1

SMALL = {"BATCH": 2, "SIDE": 48}


class Model(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        pool,
        pool_stride,
        lowest,
        highest,
    ):
        super().__init__()
        self.conv = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding
        )
        self.pool = nn.MaxPool2d(pool, stride=pool_stride)
        self.lowest = lowest
        self.highest = highest
        mend_parameters(self)

    def forward(self, x):
        y = F.hardtanh(self.pool(self.conv(x)), min_val=self.lowest, max_val=self.highest)
        return torch.tanh(torch.mean(y, dim=(2, 3), keepdim=True))


def mend_parameters(model):
    # The mean of 2 x 2 maxima is about 0.6 in every channel and sample. Biases this wide make
    # channels differ, and send some of them to either end of the hardtanh.
    nn.init.uniform_(model.conv.bias, -2.0, 1.0)


def get_inputs():
    # Signed: on inputs from [0, 1) a channel's mean hardly depends on the sample.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [
        IN_CHANNELS,
        OUT_CHANNELS,
        KERNEL_SIZE,
        STRIDE,
        PADDING,
        POOL,
        POOL_STRIDE,
        LOWEST,
        HIGHEST,
    ]
