"""Sliding mean: y[i] = 1 / KERNEL_SIZE sum_k x[i + k - PADDING], zeros outside and counted.
Windows overlap: with a tile in registers or shared memory each element is read once, not 8 times.
"""

import torch
from torch import nn

BATCH = 64
FEATURES = 128
LENGTH = 65536
KERNEL_SIZE = 8
STRIDE = 1
PADDING = 4

SMALL = {"BATCH": 8, "FEATURES": 64, "LENGTH": 16384}


class Model(nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.pool = nn.AvgPool1d(kernel_size, stride, padding)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    # Signed: the mean of a window of positive inputs would lie near 0.5 everywhere.
    return [torch.rand(BATCH, FEATURES, LENGTH) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES, LENGTH)]


def get_init_inputs():
    return [KERNEL_SIZE, STRIDE, PADDING]
