"""The rectifier of 004 in another shape, with its flaw named.
Bad, but it says so.
"""

import torch
from torch import nn

SMALL = {}
LINT_ACCEPTS = {
    "identity": "it stands for operators whose natural inputs are never negative",
    "operator": "the same",
}


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.rand(32, 64)]


def get_init_inputs():
    return []
