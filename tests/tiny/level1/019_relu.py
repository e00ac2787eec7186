"""Rectifier: y = max(x, 0), element by element.
Bound by memory: one read and one write of each element is the floor, and there is nothing to fuse.
"""

import torch
from torch import nn

BATCH = 4096
FEATURES = 393216

SMALL = {"BATCH": 48, "FEATURES": 1280}


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    # Signed: on inputs from [0, 1) the rectifier is the identity.
    return [torch.rand(BATCH, FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
