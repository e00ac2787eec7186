"""Transposed 3D convolution, scale, max-pool, mean, clamp: y = clip(mean(maxpool(s t(x))), 0, 1).
Everything fuses into the convolution: one number a channel and sample leaves the chip, not 961 MiB.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 3
OUT_CHANNELS = 16
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
SCALE = 0.5
MAX_POOL = 2
DEPTH = 16
SIDE = 32

SMALL = {"BATCH": 4, "SIDE": 16}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, scale, max_pool):
        super().__init__()
        self.conv = nn.ConvTranspose3d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding
        )
        self.scale = scale
        self.max_pool = nn.MaxPool3d(max_pool)
        self.mean_pool = nn.AdaptiveAvgPool3d((1, 1, 1))
        mend_parameters(self)

    def forward(self, x):
        y = self.max_pool(self.conv(x) * self.scale)
        return torch.clamp(self.mean_pool(y), min=0, max=1)


def mend_parameters(model):
    # As the module initialises it, every mean lies between 0 and 0.1, and the clamp does
    # nothing. Biases this wide bring channels to both clips and to all places between.
    nn.init.uniform_(model.conv.bias, -2.5, 1.5)


def get_inputs():
    # A deviation of 16 gives the convolution one of 1.2.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 16]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, SCALE, MAX_POOL]
