"""Linear, GELU, softmax over a row: y = softmax(gelu(x W^T + b)).
GELU and partial row sums fit the epilogue, so that one pass over the result remains.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x):
        return torch.softmax(F.gelu(self.linear(x)), dim=1)


def get_inputs():
    # On inputs from [0, 1) every output is near 1e-4, and zeros pass. With a deviation of 8 that
    # of the product is 4.6, and a row has a few outputs that are large.
    return [torch.randn(BATCH, IN_FEATURES) * 8]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES]
