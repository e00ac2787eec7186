"""Linear, log-sum-exp, leaky rectifier twice, GELU twice: y = g(g(l(l(lse_j (x W^T + b)_j)))).
A running log-sum-exp in the epilogue leaves one number a row; what follows costs nothing.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=bias)
        mend_parameters(self)

    def forward(self, x):
        y = torch.logsumexp(self.linear(x), dim=1, keepdim=True)
        y = F.leaky_relu(y, negative_slope=0.01)
        y = F.leaky_relu(y, negative_slope=0.01)
        return F.gelu(F.gelu(y))


def mend_parameters(model):
    # Over 8192 columns the log-sum-exp is 9.07 in every row, where all four maps that follow
    # are the identity. Biases around minus its value bring it to both sides of zero.
    typical = math.log(model.linear.out_features) + 2.82
    nn.init.uniform_(model.linear.bias, -typical - 1, -typical + 1)


def get_inputs():
    # A deviation of 4 gives the product one of 2.3: a few large values make rows differ.
    return [torch.randn(BATCH, IN_FEATURES) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES]
