"""Layer norm: y = w (x - mean) / sqrt(var + eps) + b, statistics over a whole sample.
Only BATCH means for the device: many blocks share a sample's sums before any of them can scale.
"""

import torch
from torch import nn

BATCH = 16
FEATURES = 64
SIDE = 256
NORMALIZED_SHAPE = (FEATURES, SIDE, SIDE)

SMALL = {"SIDE": 64}


class Model(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.norm = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    # Off centre, so that the mean counts, and with a variance of 8e-4, so that eps = 1e-5 does: on
    # inputs from [0, 1) leaving it out goes unnoticed. Weight 1 and bias 0 are drawn around these.
    return [torch.rand(BATCH, FEATURES, SIDE, SIDE) * 0.1 - 0.02]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES, SIDE, SIDE)]


def get_init_inputs():
    return [NORMALIZED_SHAPE]
