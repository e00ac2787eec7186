"""Product, halved, summed over rows, scaled: y[i] = s sum_j (x W^T)[i, j] / 2.
The sum commutes with the product: y = s/2 x w, w the column sums of W, reads W once and is no GEMM.
"""

import torch
from torch import nn

BATCH = 1024
INPUT_SIZE = 8192
HIDDEN_SIZE = 8192
SCALE = 1.5

SMALL = {"BATCH": 256, "INPUT_SIZE": 1024, "HIDDEN_SIZE": 1024}


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, scale):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(hidden_size, input_size))
        self.scale = scale

    def forward(self, x):
        y = torch.matmul(x, self.weight.T) / 2
        return torch.sum(y, dim=1, keepdim=True) * self.scale


def get_inputs():
    # Signed: the mean of positive inputs gives all rows one common part.
    return [torch.rand(BATCH, INPUT_SIZE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, SCALE]
