"""A terabyte out of two small vectors."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return x[:, None] * x[None, :]


def get_inputs():
    return [torch.rand(1 << 19)]


def get_init_inputs():
    return []
