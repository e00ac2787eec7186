"""Each value minus the mean over a dimension of one element: zero.
Deliberately bad: a kernel that writes zeros passes.
"""

import torch
from torch import nn

SMALL = {}


class Model(nn.Module):
    def forward(self, x):
        return x - x.mean(dim=1, keepdim=True)


def get_inputs():
    return [torch.rand(1024, 1) * 2 - 1]


def get_init_inputs():
    return []
