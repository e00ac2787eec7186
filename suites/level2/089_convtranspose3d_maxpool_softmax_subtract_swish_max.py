"""Transposed 3D convolution, max-pool p, softmax, shift, swish, max: y = max_c s(softmax_c(p) - b).
The pooled p of 16 channels stay in registers, and one number a voxel is written: 8 MiB, not 1 GB.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 3
OUT_CHANNELS = 16
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
OUTPUT_PADDING = 1
POOL = 2
POOL_STRIDE = 2
POOL_PADDING = 0
DEPTH = 16
SIDE = 32

SMALL = {"BATCH": 4, "SIDE": 16}


class Model(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        output_padding,
        pool,
        pool_stride,
        pool_padding,
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
        self.pool = nn.MaxPool3d(pool, stride=pool_stride, padding=pool_padding)
        self.subtract = nn.Parameter(torch.randn(out_channels))
        mend_parameters(self)

    def forward(self, x):
        y = torch.softmax(self.pool(self.conv(x)), dim=1)
        y = y - self.subtract.view(1, -1, 1, 1, 1)
        y = torch.sigmoid(y) * y
        return torch.max(y, dim=1)[0]


def mend_parameters(model):
    # A softmax is at most 1. Under a deviation of 1 the channel with the smallest number would
    # hold the maximum everywhere; under a quarter of it the softmax has its say.
    nn.init.normal_(model.subtract, std=0.25)


def get_inputs():
    # On inputs from [0, 1) all channels have 1/16, and the output is one constant to 0.1 per cent.
    # A deviation of 32 lets single channels win.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 32]


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
        POOL,
        POOL_STRIDE,
        POOL_PADDING,
    ]
