"""Division of rows by their Euclidean norm: y[i, j] = x[i, j] / sqrt(sum_k x[i, k]^2).
Two operators unfused; fused, a row is read, summed and scaled while it is still on chip.
"""

import torch
from torch import nn

BATCH = 32768
FEATURES = 65535

# An odd row length as well: rows start unaligned.
SMALL = {"BATCH": 256, "FEATURES": 32767}


class Model(nn.Module):
    def forward(self, x):
        return x / torch.norm(x, p=2, dim=1, keepdim=True)


def get_inputs():
    # Whatever the inputs, y has a root mean square of 1 / sqrt(FEATURES), 4e-3: a fixed tolerance
    # of 1e-2 takes zeros for right. So outputs are judged relative to their own root mean square,
    # and inputs are signed, so that a constant is as wrong as zeros are.
    return [torch.randn(BATCH, FEATURES) * 3]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return []
