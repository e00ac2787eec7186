"""3D convolution, scale, instance norm, clamp, scale, maximum: y = max_c(m clip(norm(m conv(x)))).
Moments gather in the epilogue; the second pass reads 98 MiB and writes the maximum of 16 channels.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 3
OUT_CHANNELS = 16
KERNEL_SIZE = 3
LOWEST = -1.0
HIGHEST = 1.0
DEPTH = 16
SIDE = 32

SMALL = {"BATCH": 8}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, multiplier_shape, lowest, highest):
        super().__init__()
        # No bias: the norm subtracts each volume's mean, and a bias with it.
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size, bias=False)
        # Wider multipliers would let two or three channels hold the maximum everywhere, at the
        # clip; so many voxels would be the same number, whatever the input.
        self.multiplier = nn.Parameter(torch.randn(multiplier_shape))
        self.norm = nn.InstanceNorm3d(out_channels)
        self.lowest = lowest
        self.highest = highest

    def forward(self, x):
        y = self.norm(self.conv(x) * self.multiplier)
        y = torch.clamp(y, self.lowest, self.highest) * self.multiplier
        return torch.max(y, dim=1)[0]


def get_inputs():
    # Below the norm the multiplier counts by its sign, and by its size only beside epsilon: these
    # inputs give the convolution a variance near that.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 0.01]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, (OUT_CHANNELS, 1, 1, 1), LOWEST, HIGHEST]
