"""Batch norm: y = w_c (x - mean_c) / sqrt(var_c + eps) + b_c, one mean and variance a channel.
Two reductions over all of x, then one pass to scale: three sweeps unfused, two reads at least.
"""

import torch
from torch import nn

BATCH = 64
FEATURES = 64
SIDE = 512

SMALL = {"BATCH": 8, "SIDE": 128}


class Model(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.norm = nn.BatchNorm2d(num_features)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    # Off centre, so that the mean counts, and with a variance of 8e-4, so that eps = 1e-5 does: on
    # inputs from [0, 1) leaving it out goes unnoticed. Weight 1 and bias 0 are drawn around these.
    return [torch.rand(BATCH, FEATURES, SIDE, SIDE) * 0.1 - 0.02]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES, SIDE, SIDE)]


def get_init_inputs():
    return [FEATURES]
