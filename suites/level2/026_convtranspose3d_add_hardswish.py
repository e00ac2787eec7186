"""Transposed 3D convolution, sum with a second input, hard swish of it: s = t(x) + a, y = s h(s).
h(s) = s clip(s + 3, 0, 6) / 6, so y is a polynomial in s: one epilogue that reads a and writes y.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 128
IN_CHANNELS = 32
OUT_CHANNELS = 64
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
OUTPUT_PADDING = 1
DEPTH = 16
SIDE = 16

SMALL = {"BATCH": 4, "DEPTH": 8, "SIDE": 8}


class Model(nn.Module):
    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, output_padding, bias_shape
    ):
        super().__init__()
        # `bias_shape` is part of the signature only: no bias is added but the convolution's own.
        self.conv = nn.ConvTranspose3d(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
        )

    def forward(self, x, a):
        s = self.conv(x) + a
        return s * F.hardswish(s)


def get_inputs():
    # These deviations bring both summands to about 1, and the sum past both bends at -3 and 3.
    x = torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 10
    a = torch.randn(BATCH, OUT_CHANNELS, STRIDE * DEPTH, STRIDE * SIDE, STRIDE * SIDE) * 1.5
    return [x, a]


def get_kernelbench_inputs():
    x = torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)
    a = torch.rand(BATCH, OUT_CHANNELS, STRIDE * DEPTH, STRIDE * SIDE, STRIDE * SIDE)
    return [x, a]


def get_init_inputs():
    return [
        IN_CHANNELS,
        OUT_CHANNELS,
        KERNEL_SIZE,
        STRIDE,
        PADDING,
        OUTPUT_PADDING,
        (OUT_CHANNELS, 1, 1, 1, 1),
    ]
