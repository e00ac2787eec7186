"""Exponential linear unit: y = x for x > 0, else alpha (exp(x) - 1), element by element.
Bound by memory: one read and one write of each element; only negative ones need the exponential.
"""

import torch
from torch import nn

BATCH = 4096
FEATURES = 393216
ALPHA = 1.0

SMALL = {"BATCH": 2048, "FEATURES": 4096}


class Model(nn.Module):
    def __init__(self, alpha):
        super().__init__()
        self.alpha = alpha

    def forward(self, x):
        return nn.functional.elu(x, alpha=self.alpha)


def get_inputs():
    # Signed: on inputs from [0, 1) it is the identity.
    return [torch.randn(BATCH, FEATURES) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return [ALPHA]
