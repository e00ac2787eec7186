"""Transposed 3D convolution, scale, mean pool, bias, scale: y = s2 (avgpool(s1 t(x)) + b).
Pool and transposed convolution are linear: one convolution of 3^3 at stride 1, with all maps in it.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 3
OUT_CHANNELS = 16
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
SCALE1 = 0.5
SCALE2 = 1.0
DEPTH = 16
SIDE = 32

SMALL = {"BATCH": 8, "SIDE": 16}


class Model(nn.Module):
    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, scale1, scale2, bias_shape
    ):
        super().__init__()
        self.conv = nn.ConvTranspose3d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding
        )
        self.scale1 = nn.Parameter(torch.tensor(scale1))
        self.pool = nn.AvgPool3d(2)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.scale2 = nn.Parameter(torch.tensor(scale2))

    def forward(self, x):
        y = self.pool(self.conv(x) * self.scale1)
        return (y + self.bias) * self.scale2


def get_inputs():
    # Convolution, scale and pool shrink the signal to 1/60: on inputs from [0, 1) the bias makes
    # nearly all of an output. A deviation of 48 brings both to about 1.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 48]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [
        IN_CHANNELS,
        OUT_CHANNELS,
        KERNEL_SIZE,
        STRIDE,
        PADDING,
        SCALE1,
        SCALE2,
        (OUT_CHANNELS, 1, 1, 1),
    ]
