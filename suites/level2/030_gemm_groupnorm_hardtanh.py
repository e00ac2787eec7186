"""Linear, group norm, hardtanh: y = clip(groupnorm(x W^T + b), a, b).
A group is 512 neighbouring columns: where a tile spans them, its moments never leave the chip.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
GROUPS = 16
LOWEST = -2.0
HIGHEST = 2.0

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, groups, lowest, highest):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.norm = nn.GroupNorm(groups, out_features)
        self.lowest = lowest
        self.highest = highest

    def forward(self, x):
        y = self.norm(self.linear(x))
        return F.hardtanh(y, min_val=self.lowest, max_val=self.highest)


def get_inputs():
    # Signed: the mean of positive inputs gives all rows of the product one common part.
    return [torch.rand(BATCH, IN_FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, GROUPS, LOWEST, HIGHEST]
