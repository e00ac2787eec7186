"""MobileNetV2 without shortcuts: seventeen times 1x1, depthwise 3x3, 1x1, each with a batch norm.
The widened tensor between the 1x1 convolutions is six times its neighbours and need not be stored.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10
SIDE = 224
CLASSES = 1000

# (widening, output channels, blocks, stride of the first)
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)

SMALL = {"BATCH": 2, "SIDE": 160}


def conv_norm(channels, out_channels, kernel, stride=1, groups=1):
    return [
        nn.Conv2d(channels, out_channels, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(out_channels),
    ]


def block(channels, out_channels, widening, stride):
    wide = channels * widening
    layers = [*conv_norm(channels, wide, 1), nn.ReLU6()] if widening > 1 else []
    layers += [*conv_norm(wide, wide, 3, stride, groups=wide), nn.ReLU6()]
    return layers + conv_norm(wide, out_channels, 1)


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        layers, channels = [*conv_norm(3, 32, 3, 2), nn.ReLU6()], 32
        for widening, out_channels, count, stride in STAGES:
            for index in range(count):
                layers += block(channels, out_channels, widening, stride if index == 0 else 1)
                channels = out_channels
        layers += [*conv_norm(channels, 1280, 1), nn.ReLU6()]
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(0.0), nn.Linear(1280, classes))

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), 1)
        return self.classifier(torch.flatten(x, 1))


def get_inputs():
    # Signed, as normalised images are.
    return [torch.randn(BATCH, 3, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, 3, SIDE, SIDE)]


def get_init_inputs():
    return [CLASSES]
