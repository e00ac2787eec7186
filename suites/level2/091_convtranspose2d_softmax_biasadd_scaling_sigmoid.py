"""Transposed convolution, softmax, bias, scale, sigmoid: y = sigmoid(s (softmax_c(t(x)) + b)).
A tile that holds the 128 channels of a pixel finishes all of it on chip, and writes 1 GB once.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 4
STRIDE = 2
PADDING = 1
OUTPUT_PADDING = 1
SCALE = 2.0
SIDE = 64

SMALL = {"BATCH": 2, "SIDE": 24}


class Model(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        output_padding,
        bias_shape,
        scale,
    ):
        super().__init__()
        self.conv = nn.ConvTranspose2d(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
        )
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.scale = scale

    def forward(self, x):
        y = torch.softmax(self.conv(x), dim=1) + self.bias
        return torch.sigmoid(y * self.scale)


def get_inputs():
    # On inputs from [0, 1) every channel has 1/128, and the bias alone makes the output. With a
    # deviation of 24 that of the convolution is 5, and single channels win.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 24]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [
        IN_CHANNELS,
        OUT_CHANNELS,
        KERNEL_SIZE,
        STRIDE,
        PADDING,
        OUTPUT_PADDING,
        (OUT_CHANNELS, 1, 1),
        SCALE,
    ]
