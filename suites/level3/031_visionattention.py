"""Attention over all pixels of an image: y = layernorm(x + attention(x, x, x)).
16,384 x 16,384 scores a head, eight GiB in all, none of which need leave the chip.
"""

import torch
from torch import nn

BATCH = 2
WIDTH = 128
HEADS = 4
SIDE = 128

SMALL = {"SIDE": 28}


class Model(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        batch, width, height, columns = x.shape
        pixels = x.view(batch, width, height * columns).permute(2, 0, 1)
        # With weights asked for, as by default, PyTorch computes the scores openly.
        y, _ = self.attention(pixels, pixels, pixels)
        y = self.norm(y + pixels)
        return y.permute(1, 2, 0).view(batch, width, height, columns)


def get_inputs():
    # Wide: on inputs from [0, 1) all scores are nearly equal, and the mean of the values passes for
    # attention.
    return [torch.randn(BATCH, WIDTH, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, WIDTH, SIDE, SIDE)]


def get_init_inputs():
    return [WIDTH, HEADS]
