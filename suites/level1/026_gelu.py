"""Gaussian error linear unit: y = x * Phi(x), Phi the normal distribution function.
Bound by memory as long as the error function is cheap; the exact one is meant, not the tanh form.
"""

import torch
from torch import nn

BATCH = 4096
FEATURES = 393216

SMALL = {"BATCH": 2048, "FEATURES": 4096}


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.gelu(x)


def get_inputs():
    # Signed and wide: inputs from [0, 1) leave out the dip below zero and both straight ends.
    return [torch.randn(BATCH, FEATURES) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
