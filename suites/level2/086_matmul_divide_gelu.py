"""Linear, divide, GELU: y = gelu((x W^T + b) / d).
Both maps fit the epilogue of a product that is bound by arithmetic: they should cost nothing.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
INPUT_SIZE = 8192
OUTPUT_SIZE = 8192
DIVISOR = 10.0

SMALL = {"BATCH": 256, "INPUT_SIZE": 1024, "OUTPUT_SIZE": 1024}


class Model(nn.Module):
    def __init__(self, input_size, output_size, divisor):
        super().__init__()
        self.linear = nn.Linear(input_size, output_size)
        self.divisor = divisor

    def forward(self, x):
        return F.gelu(self.linear(x) / self.divisor)


def get_inputs():
    # On inputs from [0, 1) the quotient is below 0.1, where GELU is z / 2. A deviation of 24 gives
    # it one of 1.4.
    return [torch.randn(BATCH, INPUT_SIZE) * 24]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, OUTPUT_SIZE, DIVISOR]
