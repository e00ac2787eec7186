"""Product of lower triangular matrices: C = tril(A B), where A and B are 0 above the diagonal.
Element (i, j) needs only the terms from j to i: a sixth of the products, and no separate tril.
"""

import torch
from torch import nn

N = 4096

SMALL = {"N": 1024}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.tril(torch.matmul(a, b))


def get_inputs():
    # Signed: with positive inputs C[i, j] is (i - j) / 4 to within a few per cent.
    return [torch.tril(torch.rand(N, N) * 2 - 1), torch.tril(torch.rand(N, N) * 2 - 1)]


def get_kernelbench_inputs():
    return [torch.tril(torch.rand(N, N)), torch.tril(torch.rand(N, N))]


def get_init_inputs():
    return []
