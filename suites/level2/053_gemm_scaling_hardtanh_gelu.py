"""Linear, scale, hardtanh, GELU: y = gelu(clip(s (x W^T + b), a, b)).
Three maps for the epilogue of a product that is bound by arithmetic: they should cost nothing.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 2048
IN_FEATURES = 8192
OUT_FEATURES = 8192
SCALE = 0.5
LOWEST = -2
HIGHEST = 2

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, scale, lowest, highest):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.scale = scale
        self.lowest = lowest
        self.highest = highest

    def forward(self, x):
        y = self.linear(x) * self.scale
        return F.gelu(F.hardtanh(y, min_val=self.lowest, max_val=self.highest))


def get_inputs():
    # On inputs from [0, 1) no value comes near the clips. A deviation of 6 puts a quarter beyond.
    return [torch.randn(BATCH, IN_FEATURES) * 6]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, SCALE, LOWEST, HIGHEST]
