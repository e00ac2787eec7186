"""Matrix times vector: y = A x, A of M x K, x of K x 1, K far longer than M.
Bound by reading A once; a row is split over many threads, whose sums then have to meet.
"""

import torch
from torch import nn

M = 2048
K = 1048576

SMALL = {"M": 64, "K": 131072}


class Model(nn.Module):
    def forward(self, a, x):
        return torch.matmul(a, x)


def get_inputs():
    # Signed: with positive inputs all of y lies within a thousandth of K / 4.
    return [torch.rand(M, K) * 2 - 1, torch.rand(K, 1) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(M, K), torch.rand(K, 1)]


def get_init_inputs():
    return []
