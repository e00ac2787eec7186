"""Linear, group norm, row minimum, bias: y[0, j, i, 0] = min_k groupnorm(x W^T + c)[i, k] + b[j].
Norm and minimum leave one number a row; the 32 MiB result is an outer sum of two vectors.
"""

import torch
from torch import nn

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192
GROUPS = 512

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024, "GROUPS": 64}


class Model(nn.Module):
    def __init__(self, in_features, out_features, groups, bias_shape):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.norm = nn.GroupNorm(groups, out_features)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        y = self.norm(self.linear(x))
        y = torch.min(y, dim=1, keepdim=True)[0]
        return y + self.bias


def get_inputs():
    # Signed: the mean of positive inputs gives all rows of the product one common part.
    return [torch.rand(BATCH, IN_FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, GROUPS, (1, OUT_FEATURES, 1, 1)]
