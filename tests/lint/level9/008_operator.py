"""A clamp wider than anything its input can reach.
Deliberately bad: a kernel without the clamp passes.
"""

import torch
from torch import nn

SMALL = {}


class Model(nn.Module):
    def forward(self, x):
        return torch.clamp(torch.sin(x), -2, 2)


def get_inputs():
    return [torch.rand(16, 64) * 2 - 1]


def get_init_inputs():
    return []
