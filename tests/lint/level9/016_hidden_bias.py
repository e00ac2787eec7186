"""A bias that is less than what rounding to bfloat16 does to each element: y = x + 0.005 b.
Not bad: the mean of a column shows it.
"""

import torch
from torch import nn

SMALL = {}

HARD_DRAWS_SKIP = {
    "wide": "it would show the bias in each element",
    "bits": "it would show the bias in each element",
    "signed_zeros": "it would show the bias in each element",
    "denormals": "it would show the bias in each element",
    "spikes": "it would hide the bias",
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(64))

    def forward(self, x):
        return x + self.bias * 0.005


def get_inputs():
    return [torch.randn(512, 64)]


def get_init_inputs():
    return []
