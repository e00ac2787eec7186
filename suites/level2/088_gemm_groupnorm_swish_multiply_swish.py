"""Linear, group norm, swish, product with a vector, swish: y = s(m s(groupnorm(x W^T + b))).
A group is 32 neighbouring columns: moments stay inside a tile, and one epilogue does all of it.
"""

import torch
from torch import nn

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
GROUPS = 256

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024, "GROUPS": 32}


class Model(nn.Module):
    def __init__(self, in_features, out_features, groups, multiplier_shape):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.norm = nn.GroupNorm(groups, out_features)
        self.multiplier = nn.Parameter(torch.randn(multiplier_shape))

    def forward(self, x):
        y = self.norm(self.linear(x))
        y = y * torch.sigmoid(y) * self.multiplier
        return y * torch.sigmoid(y)


def get_inputs():
    # Signed: the mean of positive inputs gives all rows of the product one common part.
    return [torch.rand(BATCH, IN_FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, GROUPS, (OUT_FEATURES,)]
