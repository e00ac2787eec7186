"""Transposed convolution, batch norm, tanh, max-pool, group norm: y = gn(maxpool(tanh(bn(t(x))))).
Batch moments gather as the convolution writes; a second pass pools 4 to 1 and gathers the groups'.
"""

import torch
from torch import nn

BATCH = 512
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 5
STRIDE = 1
PADDING = 1
SIDE = 32
GROUPS = 8
NORM_GROUPS = 8

SMALL = {"BATCH": 4, "SIDE": 16}


class Model(nn.Module):
    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, groups, norm_groups
    ):
        super().__init__()
        # `groups` is part of the signature only: the convolution is a dense one. It has no bias,
        # since the batch norm would subtract it again.
        self.conv = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=False
        )
        self.batch_norm = nn.BatchNorm2d(out_channels)
        self.pool = nn.MaxPool2d(2)
        self.group_norm = nn.GroupNorm(norm_groups, out_channels)

    def forward(self, x):
        y = torch.tanh(self.batch_norm(self.conv(x)))
        return self.group_norm(self.pool(y))


def get_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, GROUPS, NORM_GROUPS]
