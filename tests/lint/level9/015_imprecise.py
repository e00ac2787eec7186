"""A large number added and taken away again.
Deliberately bad: eager is off by a fifth of its output, and a submission may be by four times as much.
"""

import torch
from torch import nn

SMALL = {}


class Model(nn.Module):
    def forward(self, x):
        return (x + 3e6) - 3e6


def get_inputs():
    return [torch.rand(16, 64) * 2 - 1]


def get_init_inputs():
    return []
