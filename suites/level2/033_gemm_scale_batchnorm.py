"""Linear, scale a column, batch norm: y = batchnorm(s * (x W^T)).
Column moments gather in the product's epilogue, and scale and norm are one affine map a column.
"""

import torch
from torch import nn

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, scale_shape):
        super().__init__()
        # No bias: the norm subtracts each column's mean, and a bias with it.
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.scale = nn.Parameter(torch.randn(scale_shape))
        self.norm = nn.BatchNorm1d(out_features)

    def forward(self, x):
        return self.norm(self.linear(x) * self.scale)


def get_inputs():
    # The norm divides any scale out again, but for its sign and the epsilon below the root. With
    # a deviation of 0.01 the product's variance is near epsilon, and the scale itself counts.
    return [torch.randn(BATCH, IN_FEATURES) * 0.01]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, (OUT_FEATURES,)]
