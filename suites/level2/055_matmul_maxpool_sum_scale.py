"""Linear, maximum of pairs, sum, scale: y[i] = s sum_k max(z[i, 2k], z[i, 2k+1]), z = x W^T + b.
Pair maxima and row sums fit the epilogue; with 128 rows the product is bound by reading 4 GB of W.
"""

import torch
from torch import nn

BATCH = 128
IN_FEATURES = 32768
OUT_FEATURES = 32768
POOL = 2
SCALE = 0.5

SMALL = {"IN_FEATURES": 2048, "OUT_FEATURES": 2048}


class Model(nn.Module):
    def __init__(self, in_features, out_features, pool, scale):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.pool = nn.MaxPool1d(pool)
        self.scale = scale
        mend_parameters(self)

    def forward(self, x):
        y = self.pool(self.linear(x).unsqueeze(1)).squeeze(1)
        return torch.sum(y, dim=1) * self.scale


def mend_parameters(model):
    # The maximum of a pair is 0.33 on average, and its sum over the row the same for all rows
    # to one per cent. Biases centred at about minus that leave what tells rows apart.
    nn.init.uniform_(model.linear.bias, -0.7, 0.0)


def get_inputs():
    # Signed: the mean of positive inputs gives all rows one common part.
    return [torch.randn(BATCH, IN_FEATURES)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_FEATURES)]


def get_init_inputs():
    return [IN_FEATURES, OUT_FEATURES, POOL, SCALE]
