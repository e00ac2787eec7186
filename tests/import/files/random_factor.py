"""One random number as factor of whole inputs, two of which have the same one."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x, y, z):
        return ((x - y) ** 2).mean(dim=1) * z


def get_inputs():
    factor = torch.rand(())
    x = torch.rand(8, 100) * factor
    y = factor * (torch.randn(8, 100) + 1)
    return [x, y, torch.randn(1) * torch.rand(8)]


def get_init_inputs():
    return []
