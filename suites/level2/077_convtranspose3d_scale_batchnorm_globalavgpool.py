"""Transposed 3D convolution, scale, batch norm, global mean: y = mean_dhw(batchnorm(s t(x))).
Sums and square sums a channel and sample give y; what the norm would write is never needed.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 16
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 5
SCALE = 2.0
DEPTH = 16
SIDE = 32

SMALL = {"BATCH": 2, "OUT_CHANNELS": 64, "DEPTH": 4, "SIDE": 8}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, scale, eps=1e-5, momentum=0.1):
        super().__init__()
        # No bias: the norm subtracts each channel's mean, and a bias with it.
        self.conv = nn.ConvTranspose3d(in_channels, out_channels, kernel_size, bias=False)
        self.scale = scale
        self.norm = nn.BatchNorm3d(out_channels, eps=eps, momentum=momentum)
        mend_parameters(self)

    def forward(self, x):
        y = self.norm(self.conv(x) * self.scale)
        return F.adaptive_avg_pool3d(y, (1, 1, 1))


def mend_parameters(model):
    # A sample's mean differs from the batch's by 0.003 deviations, and zeros pass for it. Wide
    # weights bring the differences to about the size of the biases.
    nn.init.normal_(model.norm.weight, std=64.0)


def get_inputs():
    # The norm divides the scale out again, but for the epsilon below the root. With a deviation of
    # 0.005 the scaled convolution's variance is near epsilon, and the scale counts.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 0.005]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, SCALE]
