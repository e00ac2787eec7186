"""Transposed convolution, subtraction, tanh: y = tanh(t(x) - b), b one number a channel.
Both followers fuse into the convolution, whose 4 x 4 kernel at stride 2 splits into four of 2 x 2.
"""

import torch
from torch import nn

BATCH = 32
IN_CHANNELS = 64
OUT_CHANNELS = 64
KERNEL_SIZE = 4
SIDE = 256

SMALL = {"BATCH": 1, "SIDE": 48}


class Model(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        bias_shape,
        stride=2,
        padding=1,
        output_padding=1,
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

    def forward(self, x):
        return torch.tanh(self.conv(x) - self.bias)


def get_inputs():
    # A deviation of 4 gives the convolution about that of the bias, 1; on inputs from [0, 1) it is
    # ten times smaller, and the bias alone makes most of an output.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, (OUT_CHANNELS, 1, 1)]
