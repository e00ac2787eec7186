"""Softplus: y = log(1 + exp(x)), element by element.
Bound by memory if exponential and logarithm are fast; beyond x = 20 the result is x itself.
"""

import torch
from torch import nn

BATCH = 4096
FEATURES = 393216

SMALL = {"BATCH": 2048, "FEATURES": 4096}


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.softplus(x)


def get_inputs():
    # Signed and wide: on inputs from [0, 1) it is a straight line to within a fiftieth. These reach
    # the flat end, the bend and, with one element in 160, the part beyond 20 that is taken as x.
    return [torch.randn(BATCH, FEATURES) * 8]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
