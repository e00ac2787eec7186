"""Shuffle unit: relu(n(gconv1x1(shuffle(n(depthwise(relu(n(gconv1x1(x)))))))) + n(conv1x1(x)).
The shuffle is a permutation of channels and can be part of the next convolution's addressing.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10
SIDE = 224
IN_CHANNELS = 240
OUT_CHANNELS = 480
GROUPS = 3

SMALL = {"BATCH": 2, "SIDE": 56}


def shuffle(x, groups):
    """Channel g * n + i moves to i * groups + g."""
    batch, channels, height, width = x.shape
    x = x.view(batch, groups, channels // groups, height, width)
    return x.transpose(1, 2).contiguous().view(batch, channels, height, width)


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, groups):
        super().__init__()
        middle = out_channels // 4
        self.groups = groups
        self.conv1 = nn.Conv2d(in_channels, middle, 1, groups=groups, bias=False)
        self.norm1 = nn.BatchNorm2d(middle)
        self.conv2 = nn.Conv2d(middle, middle, 3, padding=1, groups=middle, bias=False)
        self.norm2 = nn.BatchNorm2d(middle)
        self.conv3 = nn.Conv2d(middle, out_channels, 1, groups=groups, bias=False)
        self.norm3 = nn.BatchNorm2d(out_channels)
        self.shortcut = nn.Sequential()
        if in_channels != out_channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_channels, out_channels, 1, bias=False), nn.BatchNorm2d(out_channels)
            )

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = shuffle(self.norm2(self.conv2(y)), self.groups)
        y = F.relu(self.norm3(self.conv3(y)))
        y += self.shortcut(x)
        return y


def get_inputs():
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, GROUPS]
