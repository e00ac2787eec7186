"""Linear, minimum with a number, the number subtracted: y = min(x W^T + b, c) - c.
Minimum and subtraction fit the epilogue; c is a parameter, one for all, and lies in memory.
"""

import torch
from torch import nn

BATCH = 128
IN_FEATURES = 16384
OUT_FEATURES = 16384
CONSTANT = 2.0

SMALL = {"IN_FEATURES": 2048, "OUT_FEATURES": 2048}


class Model(nn.Module):
    def __init__(self, in_features, out_features, constant):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.constant = nn.Parameter(torch.tensor(constant))

    def forward(self, x):
        return torch.minimum(self.linear(x), self.constant) - self.constant


def get_inputs():
    # On inputs from [0, 1) nothing reaches 2. With a deviation of 4 a fifth of the values do.
    return [torch.randn(BATCH, IN_FEATURES) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, CONSTANT]
