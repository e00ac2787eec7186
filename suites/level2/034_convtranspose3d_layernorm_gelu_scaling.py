"""Transposed 3D convolution, layer norm of rows, GELU, scale: y = s gelu(layernorm_w(t(x))).
Rows of 64 are normalised and activated on chip as the convolution makes them: 1 GB written once.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 32
IN_CHANNELS = 32
OUT_CHANNELS = 64
KERNEL_SIZE = 4
STRIDE = 2
PADDING = 1
BIAS = True
EPS = 1e-5
SCALE = 1.0
DEPTH = 16
SIDE = 32

# The norm's length is given by OUT_CHANNELS and must be the width of the output, twice SIDE.
SMALL = {"BATCH": 4, "OUT_CHANNELS": 32, "DEPTH": 4, "SIDE": 16}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, bias, eps, scale):
        super().__init__()
        # The norm subtracts the mean of a row, over which this bias is constant, and a scale of 1
        # changes nothing. The constructor's arguments ask for both: leaving them out is algebra,
        # and right.
        self.conv = nn.ConvTranspose3d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=bias
        )
        self.norm = nn.LayerNorm(out_channels, eps=eps)
        self.scale = scale

    def forward(self, x):
        return F.gelu(self.norm(self.conv(x))) * self.scale


def get_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, BIAS, EPS, SCALE]
