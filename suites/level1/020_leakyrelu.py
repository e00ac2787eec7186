"""Leaky rectifier: y = x for x >= 0, else 0.01 x, element by element.
Bound by memory: one read and one write of each element is the floor; the branch is a selection.
"""

import torch
from torch import nn

BATCH = 4096
FEATURES = 393216
SLOPE = 0.01

SMALL = {"BATCH": 2048, "FEATURES": 4096}


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.leaky_relu(x, negative_slope=SLOPE)


def get_inputs():
    # Signed: on inputs from [0, 1) the leaky rectifier is the identity.
    return [torch.rand(BATCH, FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
