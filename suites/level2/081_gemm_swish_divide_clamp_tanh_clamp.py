"""Linear z = x W^T + b, swish, halving, clamp, tanh, clamp: y = clip(tanh(clip(z sigmoid(z) / 2))).
Six maps fit the product's epilogue; the last clamp never acts, as tanh is below 1 already.
"""

import torch
from torch import nn

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=bias)

    def forward(self, x):
        z = self.linear(x)
        y = z * torch.sigmoid(z) / 2
        y = torch.tanh(torch.clamp(y, min=-1.0, max=1.0))
        return torch.clamp(y, min=-1.0, max=1.0)


def get_inputs():
    # On inputs from [0, 1) nothing reaches the first clamp. A deviation of 4 clips a sixth.
    return [torch.randn(BATCH, IN_FEATURES) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES]
