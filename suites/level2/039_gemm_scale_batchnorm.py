"""Linear, scale a column, batch norm over 16384 rows: y = batchnorm(s * (x W^T)).
Compute-bound: column moments must gather in the product's epilogue, scale and norm in one pass.
"""

import torch
from torch import nn

BATCH = 16384
IN_FEATURES = 4096
OUT_FEATURES = 4096

SMALL = {"BATCH": 512, "IN_FEATURES": 1024, "OUT_FEATURES": 768}


class Model(nn.Module):
    def __init__(self, in_features, out_features, scale_shape, eps=1e-5, momentum=0.1):
        super().__init__()
        # No bias: the norm subtracts each column's mean, and a bias with it.
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.scale = nn.Parameter(torch.randn(scale_shape))
        self.norm = nn.BatchNorm1d(out_features, eps=eps, momentum=momentum)

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
