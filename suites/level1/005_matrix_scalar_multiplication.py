"""Matrix times number: C = s A, element by element; s is a Python number, not a tensor.
Bound by memory: one read and one write of each element is the floor, and there is nothing to fuse.
"""

import torch
from torch import nn

M = 65536
N = 16384
S = 3.14

SMALL = {"M": 2048, "N": 4096}


class Model(nn.Module):
    def forward(self, a, s):
        return a * s


def get_inputs():
    # Signed, as for the other element-wise tasks: a kernel must not rely on the sign.
    return [torch.rand(M, N) * 2 - 1, S]


def get_kernelbench_inputs():
    return [torch.rand(M, N), S]


def get_init_inputs():
    return []
