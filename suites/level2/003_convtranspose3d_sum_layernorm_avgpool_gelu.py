"""Transposed 3D convolution, sum, layer norm, pool, GELU: y = gelu(avgpool(layernorm_w(t + s))).
A row of 64 is normalised on chip as the convolution writes it, and pooled 8 to 1 before the store.
"""

import torch
from torch import nn

BATCH = 32
IN_CHANNELS = 32
OUT_CHANNELS = 64
KERNEL_SIZE = (3, 3, 3)
STRIDE = (2, 2, 2)
PADDING = (1, 1, 1)
OUTPUT_PADDING = (1, 1, 1)
DEPTH = 16
SIDE = 32
SUM_WEIGHT = 1.0
NORM_SHAPE = (64,)
POOL = (2, 2, 2)

SMALL = {"BATCH": 4, "DEPTH": 4, "SIDE": 16, "NORM_SHAPE": (32,)}


class Model(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        output_padding,
        sum_weight,
        norm_shape,
        pool,
    ):
        super().__init__()
        # No bias: the norm runs along the width, over which a bias is constant, and subtracts it.
        # The added number goes the same way. It is the task's own operator and stays, though no
        # distribution makes it count: leaving it out is algebra, and right.
        self.conv = nn.ConvTranspose3d(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
            bias=False,
        )
        self.sum_weight = nn.Parameter(torch.tensor(sum_weight))
        self.norm = nn.LayerNorm(norm_shape)
        self.pool = nn.AvgPool3d(pool)
        self.gelu = nn.GELU()

    def forward(self, x):
        y = self.norm(self.conv(x) + self.sum_weight)
        return self.gelu(self.pool(y))


def get_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 2 - 1]


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
        SUM_WEIGHT,
        NORM_SHAPE,
        POOL,
    ]
