"""A table as input that nothing tells the values of but looking at all of it, a GiB."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, table):
        return table.sum()


def get_inputs():
    return [torch.arange(1 << 28).sin()]


def get_init_inputs():
    return []
