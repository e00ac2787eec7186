"""Transformer block: x + attention(norm(x)), then x + W2 gelu(W1 norm(x)); causal, gelu by tanh.
Scores of a head need not leave the chip; norms fit the loads, gelu and sums the stores of products.
"""

import math

import torch
from torch import nn

BATCH = 128
STEPS = 512
WIDTH = 768
HEADS = 8
ATTENTION_DROPOUT = 0.0
RESIDUAL_DROPOUT = 0.0
MAX_STEPS = 1024

SMALL = {"BATCH": 4, "STEPS": 128, "WIDTH": 384, "MAX_STEPS": 256}


def gelu(x):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))
    return 0.5 * x * (1.0 + torch.tanh(inner))


class Attention(nn.Module):
    def __init__(self, width, heads, attention_dropout, residual_dropout, max_steps):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.attention_dropout = nn.Dropout(attention_dropout)
        self.residual_dropout = nn.Dropout(residual_dropout)
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
        return self.residual_dropout(self.proj(y))


class Model(nn.Module):
    def __init__(self, width, heads, attention_dropout, residual_dropout, max_steps):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads, attention_dropout, residual_dropout, max_steps)
        self.norm2 = nn.LayerNorm(width)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(residual_dropout)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.dropout(self.narrow(gelu(self.widen(self.norm2(x)))))


def get_inputs():
    # Small: what the block adds has a deviation of about 0.3, and x passes through unchanged. At
    # deviation 1 or more the identity would be most of the result.
    return [torch.randn(BATCH, STEPS, WIDTH) * 0.25]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, STEPS, WIDTH)]


def get_init_inputs():
    return [WIDTH, HEADS, ATTENTION_DROPOUT, RESIDUAL_DROPOUT, MAX_STEPS]
