"""3D convolution and five maps: y = sigmoid(gelu(leaky(max(conv(x), 0)))) + b.
One epilogue takes all five, and the leaky rectifier is the identity behind the plain one.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 64
IN_CHANNELS = 8
OUT_CHANNELS = 32
KERNEL_SIZE = 3
DEPTH = 32
SIDE = 64

SMALL = {"BATCH": 2, "DEPTH": 12, "SIDE": 32}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        y = torch.relu(self.conv(x))
        y = F.leaky_relu(y, negative_slope=0.01)  # sees no negative number, whatever the input
        y = torch.sigmoid(F.gelu(y))
        return y + self.bias


def get_inputs():
    # Near zero gelu is z / 2 and sigmoid linear; a deviation of 3 reaches the bends of both.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 3]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, (OUT_CHANNELS, 1, 1, 1)]
