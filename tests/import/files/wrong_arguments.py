"""get_inputs gives more than forward takes."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return x


def get_inputs():
    return [torch.rand(3), torch.rand(3)]


def get_init_inputs():
    return []
