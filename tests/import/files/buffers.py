"""Buffers of every kind: a mask, a few numbers, a table too large to store, one nobody reads."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, steps, width):
        super().__init__()
        angles = torch.arange(steps)[:, None] / 10000 ** (torch.arange(width) / width)
        self.register_buffer("positions", torch.sin(angles))
        self.register_buffer("mask", torch.tril(torch.ones(steps, steps)))
        self.register_buffer("weights", torch.tensor([0.5, -1.0, 2.0]))
        self.register_buffer("unused", torch.rand(7))
        self.scale = 0.25

    def forward(self, x):
        x = x + self.positions
        scores = (x @ x.transpose(1, 2) * self.scale).masked_fill(self.mask == 0, -1e4)
        return (torch.softmax(scores, dim=-1) @ x)[..., None] * self.weights


def get_inputs():
    return [torch.randn(2, 32, 24)]


def get_init_inputs():
    return [32, 24]
