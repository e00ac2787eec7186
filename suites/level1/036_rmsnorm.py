"""Root mean square norm over channels: y[n, c] = x[n, c] / sqrt(mean_c x[n, c]^2 + eps).
Five operators unfused; fused, a thread keeps the channels of its pixels: one read, one write.
"""

import torch
from torch import nn

BATCH = 112
FEATURES = 64
SIDE = 512
EPS = 1e-5

SMALL = {"BATCH": 8, "SIDE": 128}


class Model(nn.Module):
    # The number of channels is a constructor argument by convention; the input tells it as well.
    def __init__(self, num_features):
        super().__init__()
        self.num_features = num_features

    def forward(self, x):
        return x / torch.sqrt(torch.mean(x**2, dim=1, keepdim=True) + EPS)


def get_inputs():
    # Signed, and with a mean square of 8e-4, so that eps = 1e-5 counts: on inputs from [0, 1)
    # leaving it out goes unnoticed.
    return [torch.rand(BATCH, FEATURES, SIDE, SIDE) * 0.1 - 0.05]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES, SIDE, SIDE)]


def get_init_inputs():
    return [FEATURES]
