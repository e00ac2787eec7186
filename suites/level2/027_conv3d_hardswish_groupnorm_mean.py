"""3D convolution, hard swish, group norm, spatial mean: y = mean_dhw(groupnorm(h(conv(x)))).
The normalised tensor need not exist: sums and square sums of h a channel give y, in one pass.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
IN_CHANNELS = 3
OUT_CHANNELS = 16
KERNEL_SIZE = 4
DEPTH = 16
SIDE = 32

SMALL = {"BATCH": 8}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups=4):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.norm = nn.GroupNorm(groups, out_channels)
        mend_parameters(self)

    def forward(self, x):
        y = F.hardswish(self.conv(x))
        return torch.mean(self.norm(y), dim=(2, 3, 4))


def mend_parameters(model):
    # Biases wide enough to bring different channels to different parts of the hard swish.
    nn.init.normal_(model.conv.bias, std=2.0)


def get_inputs():
    # Signed: on inputs from [0, 1) a channel's mean hardly depends on the sample.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE]
