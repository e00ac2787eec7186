"""Loads what lies beside it at home, and nowhere in the sandbox."""

from pathlib import Path

import torch
from torch import nn

WEIGHTS = Path(__file__).with_name("buffers.py").read_text()


class Model(nn.Module):
    def forward(self, x):
        return x * len(WEIGHTS)


def get_inputs():
    return [torch.rand(3)]


def get_init_inputs():
    return []
