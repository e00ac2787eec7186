"""Linear, swish, bias, group norm: y = groupnorm(s(z) + b), s(z) = z sigmoid(z), z = x W^T + w0.
Swish and bias fit the product's epilogue, and a group's moments with them where a tile spans it.
"""

import torch
from torch import nn

BATCH = 32768
IN_FEATURES = 1024
OUT_FEATURES = 4096
GROUPS = 64

SMALL = {"BATCH": 512, "IN_FEATURES": 512, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, groups, bias_shape):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.bias = nn.Parameter(torch.randn(bias_shape))
        self.norm = nn.GroupNorm(groups, out_features)

    def forward(self, x):
        z = self.linear(x)
        z = torch.sigmoid(z) * z
        return self.norm(z + self.bias)


def get_inputs():
    # A standard deviation of 2 takes swish well into its curved part; near zero it is z / 2.
    return [torch.randn(BATCH, IN_FEATURES) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, GROUPS, (OUT_FEATURES,)]
