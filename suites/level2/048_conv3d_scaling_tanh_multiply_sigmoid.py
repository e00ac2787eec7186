"""3D convolution, scale, tanh, a second scale, sigmoid: y = sigmoid(b tanh(a conv(x))).
Four maps with one a and b a channel: an epilogue of two exps instead of four passes over 420 MiB.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 3
OUT_CHANNELS = 16
KERNEL_SIZE = 3
SCALE = 2
DEPTH = 16
SIDE = 64

SMALL = {"BATCH": 4, "SIDE": 32}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, scale, bias_shape):
        super().__init__()
        # `scale` is part of the signature only: both factors are parameters, one a channel.
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.scale = nn.Parameter(torch.randn(bias_shape))
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        y = torch.tanh(self.conv(x) * self.scale)
        return torch.sigmoid(y * self.bias)


def get_inputs():
    # A deviation of 3 takes tanh into its curved part.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 3]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, SCALE, (OUT_CHANNELS, 1, 1, 1)]
