"""Transposed 3D convolution, softmax over channels, sigmoid: y = sigmoid(softmax_c(t(x))).
A tile that holds the 64 channels of a voxel finishes both on chip, and 512 MiB are written once.
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
        self, in_channels, out_channels, kernel_size, stride, padding, output_padding, bias=True
    ):
        super().__init__()
        self.conv = nn.ConvTranspose3d(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
            bias=bias,
        )

    def forward(self, x):
        return torch.sigmoid(torch.softmax(self.conv(x), dim=1))


def get_inputs():
    # On inputs from [0, 1) every channel has 1/64 and every output is 0.504. A deviation of 32
    # gives the convolution one of about 5, and single channels win.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 32]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, OUTPUT_PADDING]
