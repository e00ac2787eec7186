"""Inverted bottleneck: n(conv1x1(r(depthwise5x5(r(conv1x1(x)))))), r = relu6(n(.)), n a batch norm.
The first 1x1 widens x to 1.3 GB, which only its norm's moments need to see before it is consumed.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10
SIDE = 224
IN_CHANNELS = 112
OUT_CHANNELS = 192
KERNEL_SIZE = 5
STRIDE = 2
EXPAND_RATIO = 6

SMALL = {"BATCH": 2, "SIDE": 56}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, expand_ratio):
        super().__init__()
        wide = in_channels * expand_ratio
        self.expand = nn.Conv2d(in_channels, wide, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(wide)
        self.depthwise = nn.Conv2d(
            wide, wide, kernel_size, stride, (kernel_size - 1) // 2, groups=wide, bias=False
        )
        self.norm2 = nn.BatchNorm2d(wide)
        self.project = nn.Conv2d(wide, out_channels, 1, bias=False)
        self.norm3 = nn.BatchNorm2d(out_channels)

    def forward(self, x):
        x = F.relu6(self.norm1(self.expand(x)))
        x = F.relu6(self.norm2(self.depthwise(x)))
        return self.norm3(self.project(x))


def get_inputs():
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, EXPAND_RATIO]
