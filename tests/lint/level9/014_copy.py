"""The control once more.
Deliberately bad: it repeats 013 in other words.
"""

import torch
from torch import nn

SMALL = {}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64)

    def forward(self, x):
        z = self.layer(x)
        return z.sin()


def get_inputs():
    return [torch.rand(16, 64) * 2 - 1]


def get_init_inputs():
    return []
