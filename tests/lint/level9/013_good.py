"""Sine of a linear layer: y = sin(x W^T + b).
Not bad, it is the control.
"""

import torch
from torch import nn

SMALL = {}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(64, 64)

    def forward(self, x):
        return torch.sin(self.linear(x))


def get_inputs():
    return [torch.rand(16, 64) * 2 - 1]


def get_init_inputs():
    return []
