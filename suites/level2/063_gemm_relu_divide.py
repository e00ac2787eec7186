"""Linear, rectifier, divide: y = max(x W^T + b, 0) / d.
Rectifier and division, a product with 1/d, cost two instructions in the epilogue.
"""

import torch
from torch import nn

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
DIVISOR = 2.0

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, divisor):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.divisor = divisor

    def forward(self, x):
        return torch.relu(self.linear(x)) / self.divisor


def get_inputs():
    # Signed: the mean of positive inputs, times a row sum of W, would decide most signs.
    return [torch.rand(BATCH, IN_FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, DIVISOR]
