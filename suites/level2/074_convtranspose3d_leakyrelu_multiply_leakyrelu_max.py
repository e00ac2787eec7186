"""Transposed 3D convolution, leaky rectifier around a scale, max-pool: y = maxpool(l(m l(t(x)))).
Everything fits the epilogue, and the pool writes one value in eight.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 16
IN_CHANNELS = 16
OUT_CHANNELS = 32
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
OUTPUT_PADDING = 1
DEPTH = 16
SIDE = 32

SMALL = {"BATCH": 4, "DEPTH": 8, "SIDE": 16}


class Model(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        output_padding,
        multiplier_shape,
    ):
        super().__init__()
        self.conv = nn.ConvTranspose3d(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
        )
        self.multiplier = nn.Parameter(torch.randn(multiplier_shape))
        self.pool = nn.MaxPool3d(2)

    def forward(self, x):
        y = F.leaky_relu(self.conv(x), negative_slope=0.2)
        y = F.leaky_relu(y * self.multiplier, negative_slope=0.2)
        return self.pool(y)


def get_inputs():
    # A deviation of 8 brings the convolution to about 1, beside which its bias is small; on inputs
    # from [0, 1) the two are alike.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 8]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [
        IN_CHANNELS,
        OUT_CHANNELS,
        KERNEL_SIZE,
        STRIDE,
        PADDING,
        OUTPUT_PADDING,
        (OUT_CHANNELS, 1, 1, 1),
    ]
