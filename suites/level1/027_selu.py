"""Scaled exponential linear unit: y = s x for x > 0, else s a (exp(x) - 1), s and a fixed.
Bound by memory: one read and one write of each element; only negative ones need the exponential.
"""

import torch
from torch import nn

BATCH = 4096
FEATURES = 393216

SMALL = {"BATCH": 2048, "FEATURES": 4096}


class Model(nn.Module):
    def forward(self, x):
        return torch.selu(x)


def get_inputs():
    # Signed: inputs from [0, 1) never reach the exponential branch, y = s x would pass.
    return [torch.randn(BATCH, FEATURES) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
