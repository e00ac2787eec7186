"""3D convolution, group norm, mean of a sample: y[n] = mean_cdhw(groupnorm(conv(x))[n]).
The normalised tensor need not exist: sums and square sums a channel give y, in one pass.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 3
OUT_CHANNELS = 24
KERNEL_SIZE = 3
DEPTH = 24
SIDE = 32
GROUPS = 8

SMALL = {"BATCH": 4, "DEPTH": 12}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.norm = nn.GroupNorm(groups, out_channels)
        mend_parameters(self)

    def forward(self, x):
        return self.norm(self.conv(x)).mean(dim=(1, 2, 3, 4))


def mend_parameters(model):
    # With one weight and one bias for all channels every output is exactly that bias: zero, as
    # the module starts. Channels differ here, and by so much that the small differences of
    # their means, which are all that tells samples apart, show in the output.
    nn.init.normal_(model.norm.weight, std=16.0)


def get_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, GROUPS]
