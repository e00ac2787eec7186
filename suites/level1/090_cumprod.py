"""Running product along rows: y[i, j] = product of x[i, k] over k <= j.
One read and one write are the floor; a row is scanned in tiles that hand their products on.
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

    def forward(self, x):
        return torch.cumprod(x, dim=self.dim)


def get_inputs():
    # The product of inputs from [0, 1) is 0 after a hundred factors, and so are 99.7 % of all
    # outputs. Factors within a hundredth of 1 keep a row of 32,768 between about 1 / 100 and 100.
    return [torch.rand(BATCH, FEATURES) * 0.02 + 0.99]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES)]


def get_init_inputs():
    return [DIM]
