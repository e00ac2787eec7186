"""Convolution in two dimensions with bias, 11 x 11 kernel, stride 4, padding 2: AlexNet's first.
Three input channels and a wide kernel: unrolling the window into the sum keeps the tiles full.
"""

import torch
from torch import nn

BATCH = 256
IN_CHANNELS = 3
OUT_CHANNELS = 96
KERNEL_SIZE = 11
STRIDE = 4
PADDING = 2
SIDE = 224
NUM_CLASSES = 1000

SMALL = {"BATCH": 8}


class Model(nn.Module):
    # The number of classes is a constructor argument by convention; this layer does not use it.
    def __init__(self, num_classes):
        super().__init__()
        self.conv = nn.Conv2d(IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    # Signed: the mean of positive inputs would dominate every output of a channel.
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE) * 2 - 1]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [NUM_CLASSES]
