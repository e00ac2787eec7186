"""A factor that is less than what rounding to bfloat16 does to each element: y = 1.006 x.
Not bad: the output as a whole is too small without it, and no mean shows that.
"""

import torch
from torch import nn

SMALL = {}

HARD_DRAWS_SKIP = {
    "wide": "it would show the factor in each element",
    "bits": "it would show the factor in each element",
    "signed_zeros": "it would show the factor in each element",
    "denormals": "it would show the factor in each element",
    "spikes": "it would hide the factor",
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x * 1.006


def get_inputs():
    return [torch.randn(512, 64)]


def get_init_inputs():
    return []
