"""Linear, subtract, mean, log-sum-exp, GELU, residual: y = x + gelu(mean_j((x W^T + b - m)_j)).
The mean turns W into one vector and the log-sum-exp is of one number: x is read twice, y written.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 2048
IN_FEATURES = 8192
OUT_FEATURES = 8192

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=bias)
        self.subtract = nn.Parameter(torch.randn(out_features))
        mend_parameters(self)

    def forward(self, x):
        y = self.linear(x) - self.subtract
        y = torch.mean(y, dim=1, keepdim=True)
        y = torch.logsumexp(y, dim=1, keepdim=True)
        return F.gelu(y) + x


def mend_parameters(model):
    # Weights of both signs cancel in the mean of 8192 columns: what is added to a row is
    # 0.005, and the input alone passes for the output. Weights above zero keep it near 1.
    nn.init.uniform_(model.linear.weight, 0.0, 2.0 / math.sqrt(model.linear.in_features))


def get_inputs():
    # Signed: on positive inputs the mean is so large that GELU is the identity.
    return [torch.randn(BATCH, IN_FEATURES)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES]
