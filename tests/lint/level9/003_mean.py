"""Clamped from below far above every input: 3.7 everywhere.
Deliberately bad: a kernel that writes the mean passes.
"""

import torch
from torch import nn

SMALL = {}
# On these the flaw would be found out; they are kept away so that it stays.
HARD_DRAWS_SKIP = {
    "wide": "this task is to be bad",
    "bits": "this task is to be bad",
    "signed_zeros": "this task is to be bad",
    "denormals": "this task is to be bad",
    "spikes": "this task is to be bad",
}


class Model(nn.Module):
    def forward(self, x):
        return torch.clamp(x, min=3.7)


def get_inputs():
    return [torch.rand(16, 64) * 2 - 1]


def get_init_inputs():
    return []
