"""MobileNetV1: a convolution, thirteen pairs of depthwise 3x3 and 1x1, each relu(batchnorm(.)).
A depthwise convolution is all traffic: it can feed the 1x1 product behind it from on-chip memory.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10
SIDE = 224
CLASSES = 1000
IN_CHANNELS = 3
ALPHA = 1.0

# (output channels at alpha 1, stride of the depthwise convolution)
PAIRS = (
    [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)]
    + [(512, 1)] * 5
    + [(1024, 2), (1024, 1)]
)

SMALL = {"BATCH": 2}


def conv_norm(channels, out_channels, kernel, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(
            channels, out_channels, kernel, stride, kernel // 2, groups=groups, bias=False
        ),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(),
    )


class Model(nn.Module):
    def __init__(self, classes, in_channels, alpha):
        super().__init__()
        channels = int(32 * alpha)
        layers = [conv_norm(in_channels, channels, 3, 2)]
        for out_channels, stride in PAIRS:
            out_channels = int(out_channels * alpha)
            layers.append(conv_norm(channels, channels, 3, stride, groups=channels))
            layers.append(conv_norm(channels, out_channels, 1))
            channels = out_channels
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(channels, classes)

    def forward(self, x):
        x = F.avg_pool2d(self.features(x), 7)
        return self.classifier(torch.flatten(x, 1))


def get_inputs():
    # Signed, as normalised images are.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [CLASSES, IN_CHANNELS, ALPHA]
