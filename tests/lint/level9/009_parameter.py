"""A bias too small to be seen.
Deliberately bad: a kernel that ignores the bias passes.
"""

import torch
from torch import nn

SMALL = {}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(64))

    def forward(self, x):
        return torch.sin(x) + self.bias * 1e-9


def get_inputs():
    return [torch.rand(16, 64) * 2 - 1]


def get_init_inputs():
    return []
