"""Linear, subtract, multiply, rectifier: y = max(s (x W^T + b - m), 0).
Subtraction and scale fold into one fused multiply-add of the product's epilogue.
"""

import torch
from torch import nn

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
SUBTRACT = 2.0
MULTIPLY = 1.5

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, subtract, multiply):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.subtract = subtract
        self.multiply = multiply

    def forward(self, x):
        return torch.relu((self.linear(x) - self.subtract) * self.multiply)


def get_inputs():
    # On inputs from [0, 1) the product stays below 2, and every output is 0. With a deviation of 8
    # it has one of 4.6: a third of the outputs are positive.
    return [torch.randn(BATCH, IN_FEATURES) * 8]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, SUBTRACT, MULTIPLY]
