"""Linear, batch norm, GELU, rectifier: y = max(gelu(batchnorm(x W^T)), 0).
Column moments gather in the epilogue; what follows is one pass, and GELU only where z is positive.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 16384
IN_FEATURES = 4096
OUT_FEATURES = 4096

SMALL = {"BATCH": 512, "IN_FEATURES": 1024, "OUT_FEATURES": 768}


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        # No bias: the norm subtracts each column's mean, and a bias with it.
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.norm = nn.BatchNorm1d(out_features)

    def forward(self, x):
        return torch.relu(F.gelu(self.norm(self.linear(x))))


def get_inputs():
    return [torch.rand(BATCH, IN_FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES]
