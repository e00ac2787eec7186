"""Wants 64 GiB."""

import torch
from torch import nn

DATA = bytearray(1 << 36)


class Model(nn.Module):
    def forward(self, x):
        return x


def get_inputs():
    return [torch.rand(3)]


def get_init_inputs():
    return []
