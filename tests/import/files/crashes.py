"""Reads from address zero."""

import ctypes

import torch
from torch import nn

ctypes.string_at(0)


class Model(nn.Module):
    def forward(self, x):
        return x


def get_inputs():
    return [torch.rand(3)]


def get_init_inputs():
    return []
