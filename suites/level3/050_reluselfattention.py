"""Causal attention with relu for softmax: y = concat_h(relu(mask(Q_h K_h^T / sqrt(d))) V_h).
No row sums tie a row together: scores need not leave the chip, and their masked half is not needed.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 16
STEPS = 1024
WIDTH = 768
HEADS = 12
MAX_STEPS = 1024

SMALL = {"BATCH": 2, "STEPS": 128, "WIDTH": 384, "MAX_STEPS": 256}


class Model(nn.Module):
    def __init__(self, width, heads, max_steps):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        # KernelBench's module also has a projection behind the heads, which it never calls.
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
        y = F.relu(scores) @ v
        return y.transpose(1, 2).contiguous().view(batch, steps, width)


def get_inputs():
    # Signed: the mean of inputs from [0, 1) would be most of every query and key.
    return [torch.randn(BATCH, STEPS, WIDTH)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, STEPS, WIDTH)]


def get_init_inputs():
    return [WIDTH, HEADS, MAX_STEPS]
