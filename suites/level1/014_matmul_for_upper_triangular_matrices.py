"""Product of upper triangular matrices: C = triu(A B), where A and B are 0 below the diagonal.
Element (i, j) needs only the terms from i to j: a sixth of the products, and no separate triu.
"""

import torch
from torch import nn

N = 4096

SMALL = {"N": 1024}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.triu(torch.matmul(a, b))


def get_inputs():
    # Signed: with positive inputs C[i, j] is (j - i) / 4 to within a few per cent.
    return [torch.triu(torch.rand(N, N) * 2 - 1), torch.triu(torch.rand(N, N) * 2 - 1)]


def get_kernelbench_inputs():
    return [torch.triu(torch.rand(N, N)), torch.triu(torch.rand(N, N))]


def get_init_inputs():
    return []
