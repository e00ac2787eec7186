"""Running sum of the chosen elements: y[i, j] = sum of x[i, k] over k <= j where mask[i, k] holds.
Masking and scan are two passes unfused; fused, x and mask are read once and y is written once.
"""

import torch
from torch import nn

BATCH = 32768
FEATURES = 32768
DIM = 1

SMALL = {"BATCH": 512, "FEATURES": 8192}


class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x, mask):
        return torch.cumsum(x * mask, dim=self.dim)


def get_inputs():
    # Signed: sums of inputs from [0, 1) are j / 4 to within a few per cent, whatever is masked.
    mask = torch.randint(0, 2, (BATCH, FEATURES)).bool()
    return [torch.rand(BATCH, FEATURES) * 2 - 1, mask]


def get_kernelbench_inputs():
    mask = torch.randint(0, 2, (BATCH, FEATURES)).bool()
    return [torch.rand(BATCH, FEATURES), mask]


def get_init_inputs():
    return [DIM]
