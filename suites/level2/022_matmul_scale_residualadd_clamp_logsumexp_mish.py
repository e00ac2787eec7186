"""Linear, scale, doubling, clamp, log-sum-exp, mish: y = l m(l), l = lse_j clip(2 s (x W^T + b)_j).
A running log-sum-exp in the epilogue leaves one number a row; with the clamp it needs no maximum.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
SCALE = 2.0
LOWEST = -10.0
HIGHEST = 10.0

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
        y = torch.clamp(y + y, self.lowest, self.highest)
        y = torch.logsumexp(y, dim=1, keepdim=True)
        return y * F.mish(y)


def get_inputs():
    # On inputs from [0, 1) nothing reaches the clamp, and all rows give the same to 0.3 per cent.
    # A deviation of 2 clips one value in thirty, and its few large values tell rows apart.
    return [torch.randn(BATCH, IN_FEATURES) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, SCALE, LOWEST, HIGHEST]
