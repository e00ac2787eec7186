"""Transposed 3D convolution, batch norm, mean pool twice: y = avgpool(avgpool(batchnorm(t(x)))).
Norm and pools are linear: pool first, 64 to 1, and apply the norm's affine map to what is left.
"""

import torch
from torch import nn

BATCH = 64
IN_CHANNELS = 3
OUT_CHANNELS = 16
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
SIDE = 32

SMALL = {"BATCH": 4, "SIDE": 16}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, bias_shape):
        super().__init__()
        # `bias_shape` is part of the signature only. The convolution has no bias either, since the
        # norm would subtract it again.
        self.conv = nn.ConvTranspose3d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=False
        )
        self.norm = nn.BatchNorm3d(out_channels)
        self.pool1 = nn.AvgPool3d(2)
        self.pool2 = nn.AvgPool3d(2)

    def forward(self, x):
        return self.pool2(self.pool1(self.norm(self.conv(x))))


def get_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, (OUT_CHANNELS, 1, 1, 1)]
