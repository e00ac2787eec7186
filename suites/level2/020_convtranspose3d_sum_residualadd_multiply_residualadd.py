"""Transposed 3D convolution t = t(x), residual sums and product: y = ((t + b) + t) t + t.
Four passes over 512 MiB are one polynomial, 2 t^2 + (1 + b) t, in the convolution's epilogue.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 32
OUT_CHANNELS = 64
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
OUTPUT_PADDING = 1
DEPTH = 16
SIDE = 32

SMALL = {"BATCH": 2, "DEPTH": 8, "SIDE": 16}


class Model(nn.Module):
    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, output_padding, bias_shape
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
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        t = self.conv(x)
        y = t + self.bias
        y = y + t
        y = y * t
        return y + t


def get_inputs():
    # A deviation of 8 brings t to about 1, where square and linear term weigh the same.
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
