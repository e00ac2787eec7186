"""Positional and keyword arguments as a pair, for the module and for its inputs."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, width, *, bias, slope=0.1):
        super().__init__()
        self.linear = nn.Linear(width, 4, bias=bias)
        self.slope = slope

    def forward(self, x, *, weight, power):
        return nn.functional.leaky_relu(self.linear(x), self.slope) * weight**power


def get_inputs():
    return [[torch.randn(5, 8)], {"power": 2, "weight": torch.rand(5, 4) + 1}]


def get_init_inputs():
    return [[], {"bias": False, "width": 8, "slope": 0.2}]
