"""Linear, scale, doubling, clamp, log-sum-exp, mish: y = l m(l), l = lse_j clip(2 s (x W^T + b)_j).
A running log-sum-exp in the epilogue leaves one number a row; with the clamp it needs no maximum.
"""

from statistics import NormalDist

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
SCALE = 2.0
LOWEST = -10.0
HIGHEST = 10.0

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, scale, lowest, highest):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.scale = scale
        self.lowest = lowest
        self.highest = highest
        mend_parameters(self)

    def forward(self, x):
        y = self.linear(x) * self.scale
        y = torch.clamp(y + y, self.lowest, self.highest)
        y = torch.logsumexp(y, dim=1, keepdim=True)
        return y * F.mish(y)


def mend_parameters(model):
    # Of 8192 values the largest lie near the upper clip, and there mish is the identity. Biases
    # that bring a row's largest value, at the inputs' deviation, to about 1 leave its log-sum-exp
    # anywhere between the two clips.
    largest = 5.2 * NormalDist().inv_cdf(1 - 0.5 / model.linear.out_features)
    nn.init.uniform_(model.linear.bias, 0.5 - largest, 1.5 - largest)


def get_inputs():
    # On inputs from [0, 1) nothing reaches the clips, and all rows give the same to 0.3 per cent.
    # A deviation of 9 gives the product one of 5.2, and four times that before the clips.
    return [torch.randn(BATCH, IN_FEATURES) * 9]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, SCALE, LOWEST, HIGHEST]
