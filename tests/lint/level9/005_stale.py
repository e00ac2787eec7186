"""The logarithm of negative numbers.
Deliberately bad: the output is NaN throughout, which is what an untouched buffer holds.
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
        return torch.log(x)


def get_inputs():
    return [torch.rand(16, 64) - 2]


def get_init_inputs():
    return []
