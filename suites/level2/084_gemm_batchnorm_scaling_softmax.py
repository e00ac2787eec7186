"""Linear, batch norm, scale, softmax over a row: y = softmax(s batchnorm(x W^T)).
Column moments before row sums: the epilogue gathers the first, one pass does the rest on chip.
"""

import torch
from torch import nn

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
EPS = 1e-5
MOMENTUM = 0.1

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, eps, momentum, scale_shape):
        super().__init__()
        # No bias: the norm subtracts each column's mean, and a bias with it.
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.norm = nn.BatchNorm1d(out_features, eps=eps, momentum=momentum)
        self.scale = nn.Parameter(torch.ones(scale_shape))
        mend_parameters(self)

    def forward(self, x):
        return torch.softmax(self.norm(self.linear(x)) * self.scale, dim=1)


def mend_parameters(model):
    # A scale of 1 leaves 8192 outputs near 1e-4 each, and zeros pass for them. From [3, 6) on
    # a row has a few that are large.
    nn.init.uniform_(model.scale, 3.0, 6.0)


def get_inputs():
    return [torch.rand(BATCH, IN_FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, EPS, MOMENTUM, (1,)]
