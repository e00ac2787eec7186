"""Softmax over a dimension of one element: one.
Deliberately bad: a kernel that writes ones passes.
"""

import torch
from torch import nn

SMALL = {}


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=1)


def get_inputs():
    return [torch.rand(1024, 1) * 2 - 1]


def get_init_inputs():
    return []
