"""Linear, group norm, leaky rectifier, doubling: y = 2 l(groupnorm(x W^T + b)).
A group is 16 neighbouring columns: its moments stay inside any tile, and one pass writes y.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
INPUT_SIZE = 8192
HIDDEN_SIZE = 8192
GROUPS = 512

SMALL = {"BATCH": 256, "INPUT_SIZE": 1024, "HIDDEN_SIZE": 1024, "GROUPS": 64}


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, groups, eps=1e-5, negative_slope=0.01):
        super().__init__()
        self.linear = nn.Linear(input_size, hidden_size)
        self.norm = nn.GroupNorm(groups, hidden_size, eps=eps)
        self.negative_slope = negative_slope

    def forward(self, x):
        y = F.leaky_relu(self.norm(self.linear(x)), self.negative_slope)
        return y + y


def get_inputs():
    # Signed: the mean of positive inputs gives all rows of the product one common part.
    return [torch.rand(BATCH, INPUT_SIZE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, GROUPS]
