"""The logarithm of negative numbers.
Deliberately bad: the output is NaN throughout, which is what an untouched buffer holds.
"""

import torch
from torch import nn

SMALL = {}


class Model(nn.Module):
    def forward(self, x):
        return torch.log(x)


def get_inputs():
    return [torch.rand(16, 64) - 2]


def get_init_inputs():
    return []
