"""Piecewise linear sigmoid: y = min(max(x / 6 + 1 / 2, 0), 1), element by element.
Bound by memory: one fused multiply-add and two selections for each element read and written.
"""

import torch
from torch import nn

BATCH = 4096
FEATURES = 393216

SMALL = {"BATCH": 2048, "FEATURES": 4096}


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.hardsigmoid(x)


def get_inputs():
    # Signed and wide: inputs from [0, 1) never reach the clamps at -3 and 3.
    return [torch.randn(BATCH, FEATURES) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
