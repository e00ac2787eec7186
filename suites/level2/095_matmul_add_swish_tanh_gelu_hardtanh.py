"""Linear, added vector, swish, tanh, GELU, hardtanh: y = clip(gelu(tanh(s(x W^T + b + a))), -1, 1).
Five maps fit the product's epilogue; the hardtanh never acts, as GELU of a tanh is below 1 already.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, add_shape):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.add_value = nn.Parameter(torch.randn(add_shape))

    def forward(self, x):
        y = self.linear(x) + self.add_value
        y = torch.sigmoid(y) * y
        y = F.gelu(torch.tanh(y))
        return F.hardtanh(y, min_val=-1, max_val=1)


def get_inputs():
    # A deviation of 2 gives the product that of the vector, so that both count.
    return [torch.randn(BATCH, IN_FEATURES) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, (OUT_FEATURES,)]
