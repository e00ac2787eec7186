"""Spares itself a draw, and lint a finding."""

import torch
from torch import nn

LINT_ACCEPTS = {"identity": "it looks like one"}
HARD_DRAWS_SKIP = {"wide": "too wide"}


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.rand(8, 8)]


def get_init_inputs():
    return []
