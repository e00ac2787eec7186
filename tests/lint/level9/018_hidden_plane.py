"""Planes of an image less a tenth of their mean, which rounding to bfloat16 hides in each element.
Not bad: the mean of a plane shows it, and that of a channel or of a sample does not.
"""

import torch
from torch import nn

SMALL = {}

HARD_DRAWS_SKIP = {
    "wide": "it would show the mean in each element",
    "bits": "it would show the mean in each element",
    "signed_zeros": "it would show the mean in each element",
    "denormals": "it would show the mean in each element",
    "spikes": "it would hide the mean",
}


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x - x.mean(dim=(2, 3), keepdim=True) * 0.1


def get_inputs():
    return [torch.randn(16, 16, 16, 16)]


def get_init_inputs():
    return []
