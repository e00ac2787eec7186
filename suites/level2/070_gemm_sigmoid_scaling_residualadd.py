"""Linear z = x W^T + b, scaled sigmoid, residual: y = s sigmoid(z) + z.
Three passes over the result fold into the epilogue of a product that is bound by arithmetic.
"""

import torch
from torch import nn

BATCH = 1024
INPUT_SIZE = 8192
HIDDEN_SIZE = 8192
SCALE = 2.0

SMALL = {"BATCH": 256, "INPUT_SIZE": 1024, "HIDDEN_SIZE": 1024}


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, scale):
        super().__init__()
        self.linear = nn.Linear(input_size, hidden_size)
        self.scale = scale

    def forward(self, x):
        z = self.linear(x)
        return torch.sigmoid(z) * self.scale + z


def get_inputs():
    # A deviation of 4 takes the sigmoid off its straight part.
    return [torch.randn(BATCH, INPUT_SIZE) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, SCALE]
