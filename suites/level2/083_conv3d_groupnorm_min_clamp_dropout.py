"""3D convolution, group norm g, minimum, clamp, dropout (off): y = clip(min(g, a), a, b).
What is cut to at most a is lifted to at least a: y is the constant a, and nothing need be computed.
"""

import torch
from torch import nn

BATCH = 128
IN_CHANNELS = 3
OUT_CHANNELS = 16
KERNEL_SIZE = 3
GROUPS = 8
LOWEST = 0.0
HIGHEST = 1.0
DROPOUT = 0.2
DEPTH = 16
SIDE = 64

SMALL = {"BATCH": 4, "SIDE": 32}
LINT_ACCEPTS = {
    "zeros": "the output is its lower bound, 0, for every finite input",
    "mean": "the output is its lower bound, 0, for every finite input",
    "half": "the output is its lower bound, 0, for every finite input",
    "previous": "the output is its lower bound, 0, for every finite input",
    "parameter": "the output is its lower bound, 0, for every finite input",
    "operator": "the output is its lower bound, 0, for every finite input",
}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups, lowest, highest, dropout):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.norm = nn.GroupNorm(groups, out_channels)
        self.lowest = lowest
        self.highest = highest
        # Off in every mode of this suite: no two runs of a random operator can be compared.
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        # The flaw is accepted, not mended: minimum and clamp share the bound that the constructor
        # is given, and no distribution of inputs or parameters gets past it. Zeros pass, and are
        # right. So the task counts in no score.
        y = torch.clamp(self.norm(self.conv(x)), max=self.lowest)
        y = torch.clamp(y, min=self.lowest, max=self.highest)
        return self.dropout(y)


def get_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, GROUPS, LOWEST, HIGHEST, DROPOUT]
