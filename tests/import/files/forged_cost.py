"""Says of itself that it computes nothing, and that its sums are long."""

import torch
from lowering import task as lowering
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(8))

    def forward(self, x):
        return x * self.weight


def get_inputs():
    return [torch.rand(8, 8)]


def get_init_inputs():
    return []


def forged(task, size):
    return analyse(task, size) | {"flops": 0, "longest_sum": 1_000_000}


analyse, lowering.analyse = lowering.analyse, forged
