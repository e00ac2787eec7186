"""Sliding maximum: y[i] = max_k x[i + DILATION k - PADDING], k < KERNEL_SIZE, outside is -infinity.
Windows overlap: a tile in shared memory or registers reads each element once instead of 8 times.
"""

import torch
from torch import nn

BATCH = 64
FEATURES = 192
LENGTH = 65536
KERNEL_SIZE = 8
STRIDE = 1
PADDING = 4
DILATION = 3
RETURN_INDICES = False

SMALL = {"BATCH": 8, "FEATURES": 64, "LENGTH": 16384}


class Model(nn.Module):
    def __init__(self, kernel_size, stride, padding, dilation, return_indices):
        super().__init__()
        self.pool = nn.MaxPool1d(kernel_size, stride, padding, dilation, return_indices)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    # Three of four are negative, so that the edges matter: on inputs from [0, 1) padding with zeros
    # instead of -infinity is the same.
    return [torch.rand(BATCH, FEATURES, LENGTH) * 4 - 3]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, FEATURES, LENGTH)]


def get_init_inputs():
    return [KERNEL_SIZE, STRIDE, PADDING, DILATION, RETURN_INDICES]
