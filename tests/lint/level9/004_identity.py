"""A rectifier on inputs that are never negative.
Deliberately bad: a kernel that copies its input passes.
"""

import torch
from torch import nn

SMALL = {}


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.rand(16, 64)]


def get_init_inputs():
    return []
