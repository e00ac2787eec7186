"""Residual block: y = relu(n2(conv(relu(n1(conv(x))))) + n3(conv1x1(x))), n a batch norm.
Each convolution can gather its norm's moments; affine map, sum and relu fuse into one pass.
"""

import torch
from torch import nn

BATCH = 10
IN_CHANNELS = 3
OUT_CHANNELS = 64
STRIDE = 1
SIDE = 224

SMALL = {"BATCH": 4, "SIDE": 56}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.shortcut = nn.Sequential(
            nn.Conv2d(in_channels, out_channels, 1, stride=stride, bias=False),
            nn.BatchNorm2d(out_channels),
        )

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        y += self.shortcut(x)
        return torch.relu(y)


def get_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, STRIDE]
