"""Convolution, group norm, tanh, hard swish, residual, log-sum-exp: y = lse_c(c + h(tanh(gn(c)))).
Group moments gather in the epilogue; a second pass over c = conv(x) writes one number for 64.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 128
IN_CHANNELS = 8
OUT_CHANNELS = 64
KERNEL_SIZE = 3
GROUPS = 16
SIDE = 128

SMALL = {"BATCH": 4, "SIDE": 64}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups, eps=1e-5):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.norm = nn.GroupNorm(groups, out_channels, eps=eps)

    def forward(self, x):
        c = self.conv(x)
        y = F.hardswish(torch.tanh(self.norm(c)))
        return torch.logsumexp(c + y, dim=1, keepdim=True)


def get_inputs():
    # A deviation of 4 makes pixels differ; from [0, 1) all are near log 64.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, GROUPS]
