"""A bias that few sums show in bfloat16: y = 8 x + b, |b| < 0.08, of 8 rows.
Not bad: a bias drawn from [-1, 1) is seen, and each evaluation has such a draw.
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
        self.bias = nn.Parameter(torch.empty(64).uniform_(-0.08, 0.08))

    def forward(self, x):
        return x * 8 + self.bias


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return []
