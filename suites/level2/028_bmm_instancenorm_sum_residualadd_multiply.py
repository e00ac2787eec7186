"""Linear, each row normalised, sum and product with a second input: y = (norm(x W^T + b) + a) a.
Row moments gather in the product's epilogue; norm, sum and product are one pass after it.
"""

import torch
from torch import nn

BATCH = 1024
IN_FEATURES = 8192
OUT_FEATURES = 8192

SMALL = {"BATCH": 256, "IN_FEATURES": 1024, "OUT_FEATURES": 1024}


class Model(nn.Module):
    def __init__(self, in_features, out_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        # A row is the one plane of a one-channel image, and so normalised as a whole.
        self.norm = nn.InstanceNorm2d(1, eps=eps, momentum=momentum)

    def forward(self, x, a):
        y = self.linear(x)
        y = self.norm(y.unsqueeze(1).unsqueeze(1)).squeeze(1).squeeze(1)
        y = y + a
        return y * a


def get_inputs():
    # Signed: the mean of positive inputs gives all rows of the product one common part.
    x = torch.rand(BATCH, IN_FEATURES) * 2 - 1
    a = torch.randn(BATCH, OUT_FEATURES)
    return [x, a]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES), torch.rand(BATCH, OUT_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES]
