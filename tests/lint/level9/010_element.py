"""A large number is added and taken away again, which costs six digits.
Deliberately bad: what rounding leaves hides a wrong element.
"""

import torch
from torch import nn

SMALL = {}


class Model(nn.Module):
    def forward(self, x):
        return torch.sin(x) + 1e6 - 1e6


def get_inputs():
    return [torch.rand(16, 64) * 2 - 1]


def get_init_inputs():
    return []
