"""Division by the Frobenius norm of everything: y = x / sqrt(sum x^2).
One sum over the whole tensor comes before the first output: two reads, one write, one wait.
"""

import torch
from torch import nn

BATCH = 112
FEATURES = 64
SIDE = 512

# Eager on a CPU adds up all squares in one float32: the error of the norm grows with the number of
# elements to the power of 1.5. At 2^23 it is 2e-4, and outputs rounded to float16 would pass; at
# 2^20 it is 1e-5.
SMALL = {"BATCH": 4, "SIDE": 64}


class Model(nn.Module):
    def forward(self, x):
        return x / torch.norm(x)


def get_inputs():
    # Whatever the inputs, y has a root mean square of 1 / sqrt(number of elements), 2e-5: a fixed
    # tolerance of 1e-4 takes zeros for right. So outputs are judged relative to their own root mean
    # square, and inputs are signed, so that a constant is as wrong as zeros are.
    return [torch.randn(BATCH, FEATURES, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES, SIDE, SIDE)]


def get_init_inputs():
    return []
