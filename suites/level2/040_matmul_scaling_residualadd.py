"""Linear z = x W^T + b, scaled and added to itself: y = s z + z.
Two passes over 256 MiB are one multiplication by 1 + s in the product's epilogue, or in W and b.
"""

import torch
from torch import nn

BATCH = 16384
IN_FEATURES = 4096
OUT_FEATURES = 4096
SCALE = 0.5

SMALL = {"BATCH": 512, "IN_FEATURES": 1024, "OUT_FEATURES": 768}


class Model(nn.Module):
    def __init__(self, in_features, out_features, scale):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.scale = scale

    def forward(self, x):
        z = self.linear(x)
        return z * self.scale + z


def get_inputs():
    # Signed: the mean of positive inputs gives all rows of the product one common part.
    return [torch.rand(BATCH, IN_FEATURES) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, SCALE]
