"""Transposed 3D convolution and log-sum-exp: l = lse_c t(x), y = clip(l sigmoid(l + 3) / 6 - b).
A tile with the 16 channels of a voxel writes one number for them: 60 MiB leave the chip, not 961.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 3
OUT_CHANNELS = 16
KERNEL_SIZE = 3
STRIDE = 2
PADDING = 1
DEPTH = 16
SIDE = 32

SMALL = {"BATCH": 4, "SIDE": 16}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, bias_shape):
        super().__init__()
        self.conv = nn.ConvTranspose3d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding
        )
        self.bias = nn.Parameter(torch.randn(bias_shape))
        mend_parameters(self)

    def forward(self, x):
        y = torch.logsumexp(self.conv(x), dim=1, keepdim=True)
        y = y * torch.sigmoid(y + 3) / 6
        return torch.clamp(y - self.bias, min=-1, max=1)


def mend_parameters(model):
    # One number for the whole tensor. Drawn from a normal it may lie where every output is
    # clipped; from [0, 1) it leaves most of them between the clips at -1 and 1.
    nn.init.uniform_(model.bias)


def get_inputs():
    # On inputs from [0, 1) the log-sum-exp is log 16 everywhere, to one part in a hundred. With a
    # deviation of 48 that of the convolution is 4, and the largest channel counts.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 48]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING, (1, 1, 1, 1)]
