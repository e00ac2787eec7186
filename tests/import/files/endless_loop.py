"""Never finishes being read."""

import torch
from torch import nn

while True:
    pass


class Model(nn.Module):
    def forward(self, x):
        return x


def get_inputs():
    return [torch.rand(3)]


def get_init_inputs():
    return []
