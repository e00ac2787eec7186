"""Linear, batch norm, one bias, divide, swish: y = z sigmoid(z), z = (batchnorm(x W^T) + b) / d.
Column moments gather in the epilogue; all that follows is one affine map a column and the swish.
"""

import torch
from torch import nn

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
EPS = 1e-5
MOMENTUM = 0.1
DIVISOR = 1.0

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, eps, momentum, bias_shape, divisor):
        super().__init__()
        # No bias: the norm subtracts each column's mean, and a bias with it.
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.norm = nn.BatchNorm1d(out_features, eps=eps, momentum=momentum)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.divisor = divisor  # of 1: a submission may leave the division out

    def forward(self, x):
        z = (self.norm(self.linear(x)) + self.bias) / self.divisor
        return z * torch.sigmoid(z)


def get_inputs():
    return [torch.rand(BATCH, IN_FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, EPS, MOMENTUM, (1,), DIVISOR]
