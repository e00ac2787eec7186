"""Inputs scaled to nothing beside a parameter.
Deliberately bad: the answer to one input is the answer to the next.
"""

import torch
from torch import nn

SMALL = {}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(16, 64))

    def forward(self, x):
        return x * 1e-12 + self.weight


def get_inputs():
    return [torch.rand(16, 64) * 2 - 1]


def get_init_inputs():
    return []
