"""Transposed 3D convolution, batch norm, spatial mean subtracted: y = n(t(x)) - mean_dhw(n(t(x))).
Moments a channel and means a sample gather in one pass with the convolution; a second one writes y.
"""

import torch
from torch import nn

BATCH = 16
IN_CHANNELS = 16
OUT_CHANNELS = 32
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
DEPTH = 16
SIDE = 32

SMALL = {"BATCH": 4, "DEPTH": 8, "SIDE": 16}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding):
        super().__init__()
        # Neither convolution nor norm has a bias: what is constant over a channel goes away with
        # the channel's mean, so that a submission could leave such parameters out unnoticed.
        self.conv = nn.ConvTranspose3d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=False
        )
        self.norm = nn.BatchNorm3d(out_channels)
        self.norm.register_parameter("bias", None)

    def forward(self, x):
        y = self.norm(self.conv(x))
        return y - torch.mean(y, dim=(2, 3, 4), keepdim=True)


def get_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING]
