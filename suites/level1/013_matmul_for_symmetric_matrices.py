"""Product of two square matrices, which may or may not be symmetric: C = A B.
Compute-bound; not even symmetric factors make C symmetric, so all of its products are needed.
"""

import torch
from torch import nn

N = 4096

SMALL = {"N": 768}


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    # Not symmetric: all that symmetry could save is half of the reading, which is nothing beside
    # the products, and a kernel that takes A for its transpose should be found out. Normal values,
    # as positive ones would give every element of C nearly the same value.
    return [torch.randn(N, N), torch.randn(N, N)]


def get_kernelbench_inputs():
    return [torch.rand(N, N), torch.rand(N, N)]


def get_init_inputs():
    return []
