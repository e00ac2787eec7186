"""3D convolution, leaky rectifier, bias, clamp, GELU: y = gelu(clip(l(conv(x)) + b, -1, 1)).
Four maps of 1.7 GB each fold into the convolution's epilogue, and y is written once.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 128
IN_CHANNELS = 8
OUT_CHANNELS = 64
KERNEL_SIZE = 3
DEPTH = 16
SIDE = 64

SMALL = {"BATCH": 2, "DEPTH": 8, "SIDE": 32}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        mend_parameters(self)

    def forward(self, x):
        y = F.leaky_relu(self.conv(x), negative_slope=0.2) + self.bias
        return F.gelu(torch.clamp(y, min=-1.0, max=1.0))


def mend_parameters(model):
    # Half of the deviation that a bias has elsewhere: few channels are clipped as a whole.
    nn.init.normal_(model.bias, std=0.5)


def get_inputs():
    # Signed, and wide enough to reach both clips.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, (OUT_CHANNELS, 1, 1, 1)]
