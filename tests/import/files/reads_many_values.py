"""A thousand lengths without a pattern, which others depend on: a task cannot store as many."""
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, values, lengths):
        return values.sum() * lengths


def get_inputs():
    lengths = torch.randint(1, 90, (1000,))
    return [torch.randn(lengths.sum().item()), lengths]


def get_init_inputs():
    return []
