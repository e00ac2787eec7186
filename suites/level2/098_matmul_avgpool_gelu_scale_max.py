"""Linear, mean of 16 neighbours, GELU, scale, row maximum: y = max_k s gelu(avgpool(x W^T + b)_k).
The mean commutes with the product: W shrinks to 512 averaged rows, a sixteenth of the arithmetic.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
POOL = 16
SCALE = 2.0

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, pool, scale):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.pool = nn.AvgPool1d(pool)
        self.scale = scale

    def forward(self, x):
        y = self.pool(self.linear(x).unsqueeze(1)).squeeze(1)
        y = F.gelu(y) * self.scale
        return torch.max(y, dim=1)[0]


def get_inputs():
    # A deviation of 3 brings the maxima to about 1.3, where GELU is curved.
    return [torch.randn(BATCH, IN_FEATURES) * 3]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, POOL, SCALE]
