"""Logistic function: y = 1 / (1 + exp(-x)), element by element.
Bound by memory where exponential and reciprocal are cheap enough to hide behind the loads.
"""

import torch
from torch import nn

BATCH = 4096
FEATURES = 393216

SMALL = {"BATCH": 2048, "FEATURES": 4096}


class Model(nn.Module):
    def forward(self, x):
        return torch.sigmoid(x)


def get_inputs():
    # Inputs from [0, 1) would use only the outputs between 0.5 and 0.73, which a straight line
    # meets to within a hundredth. These use both flat ends.
    return [torch.randn(BATCH, FEATURES) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
