"""Convolution and mish twice: y = m(m(conv(x))), m(z) = z tanh(log(1 + exp(z))).
Both activations fit the convolution's epilogue; exp, log and tanh shrink to one exp and a ratio.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 64
IN_CHANNELS = 64
OUT_CHANNELS = 128
KERNEL_SIZE = 3
SIDE = 256

SMALL = {"BATCH": 2, "SIDE": 48}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        return F.mish(F.mish(self.conv(x)))


def get_inputs():
    # A deviation of 3 spreads the convolution over the curved part of mish; near zero it is 0.6 z.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 3]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
