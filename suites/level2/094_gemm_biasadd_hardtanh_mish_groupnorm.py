"""Linear, bias, hardtanh, mish, group norm: y = groupnorm(m(clip(x W^T + c + b, -1, 1))).
Maps and group moments fit the epilogue; a group is 32 neighbouring columns and stays in the tile.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
GROUPS = 256

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024, "GROUPS": 32}


class Model(nn.Module):
    def __init__(self, in_features, out_features, bias_shape, groups):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.norm = nn.GroupNorm(groups, out_features)

    def forward(self, x):
        y = F.hardtanh(self.linear(x) + self.bias)
        return self.norm(F.mish(y))


def get_inputs():
    # A deviation of 2 gives the product that of the bias, so that both decide what is clipped.
    return [torch.randn(BATCH, IN_FEATURES) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, (OUT_FEATURES,), GROUPS]
