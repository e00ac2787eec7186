"""Looks at memory by strides of its own."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        x = torch.relu(x)
        return torch.as_strided(x, (2, 2), (1, 2))


def get_inputs():
    return [torch.rand(8, 8)]


def get_init_inputs():
    return []
