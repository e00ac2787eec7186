"""Causal self-attention: y = P concat_h(softmax(mask(Q_h K_h^T / sqrt(d))) V_h), Q K V from x.
The T x T scores of a head need not leave the chip, and their masked half is not needed.
"""

import math

import torch
from torch import nn

BATCH = 128
STEPS = 512
WIDTH = 768
HEADS = 8
ATTENTION_DROPOUT = 0.0
OUTPUT_DROPOUT = 0.0
MAX_STEPS = 1024

SMALL = {"BATCH": 4, "STEPS": 128, "WIDTH": 384, "MAX_STEPS": 256}


class Model(nn.Module):
    def __init__(self, width, heads, attention_dropout, output_dropout, max_steps):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.attention_dropout = nn.Dropout(attention_dropout)
        self.output_dropout = nn.Dropout(output_dropout)
        causal = torch.tril(torch.ones(max_steps, max_steps))
        self.register_buffer("mask", causal.view(1, 1, max_steps, max_steps))

    def forward(self, x):
        batch, steps, width = x.shape
        depth = width // self.heads
        q, k, v = (
            part.view(batch, steps, self.heads, depth).transpose(1, 2)
            for part in self.qkv(x).split(width, dim=2)
        )
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(depth))
        scores = scores.masked_fill(self.mask[:, :, :steps, :steps] == 0, float("-inf"))
        weights = self.attention_dropout(torch.softmax(scores, dim=-1))
        y = (weights @ v).transpose(1, 2).contiguous().view(batch, steps, width)
        return self.output_dropout(self.proj(y))


def get_inputs():
    # On inputs from [0, 1) all scores of a row are nearly equal, and a plain running mean of the
    # values passes for attention. A deviation of 2 gives scores a deviation of about 1.3.
    return [torch.randn(BATCH, STEPS, WIDTH) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, STEPS, WIDTH)]


def get_init_inputs():
    return [WIDTH, HEADS, ATTENTION_DROPOUT, OUTPUT_DROPOUT, MAX_STEPS]
