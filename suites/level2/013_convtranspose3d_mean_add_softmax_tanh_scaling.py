"""Transposed 3D convolution, mean, bias, softmax, tanh, scale: y = s tanh(softmax(mean t(x) + b)).
The mean over depth commutes with the convolution: three weighted sums of slices replace most of it.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 16
OUT_CHANNELS = 64
KERNEL_SIZE = 3
STRIDE = 1
PADDING = 1
DEPTH = 32
SIDE = 128
SCALE = 2.0

SMALL = {"BATCH": 1, "DEPTH": 16, "SIDE": 32}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, scale):
        super().__init__()
        self.conv = nn.ConvTranspose3d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding
        )
        self.bias = nn.Parameter(torch.randn(1, out_channels, 1, 1, 1))
        self.scale = scale

    def forward(self, x):
        y = self.conv(x).mean(dim=2, keepdim=True) + self.bias
        return torch.tanh(torch.softmax(y, dim=1)) * self.scale


def get_inputs():
    # The mean over the depth shrinks the signal twenty times. On inputs from [0, 1) nothing but the
    # bias is left in the softmax; a deviation of 24 gives the convolution an equal part.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 24]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, SCALE]
