"""A dictionary of tensors, one of them nested."""

import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x, y):
        return {"sum": x + y, "parts": {"product": x * y, "nothing": None}}


def get_inputs():
    return {"y": torch.rand(8, 3), "x": torch.rand(8, 3)}


def get_init_inputs():
    return {}
