"""Sums of a ragged batch: how long its parts are is drawn, and read."""
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, values, part, scale):
        sums = torch.zeros(32, device=values.device).scatter_add(0, part, values)
        return sums * scale


def get_inputs():
    lengths = torch.randint(4, 9, (32,))
    part = torch.repeat_interleave(torch.arange(32), lengths)
    return [torch.randn(int(lengths.sum())), part, torch.rand(1)]


def get_init_inputs():
    return []
