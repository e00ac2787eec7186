"""EfficientNet-B1, one inverted bottleneck a stage: seven times 1x1, depthwise 3x3, 1x1 with norms.
Widened tensors need not be stored; norms and relu6 fit the epilogues of the convolutions.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10
SIDE = 240
CLASSES = 1000

# (output channels, stride, widening)
BLOCKS = (
    (16, 1, 1),
    (24, 2, 6),
    (40, 2, 6),
    (80, 2, 6),
    (112, 1, 6),
    (192, 2, 6),
    (320, 1, 6),
)

SMALL = {"BATCH": 2, "SIDE": 160}


def conv_norm(channels, out_channels, kernel, stride=1, groups=1):
    return [
        nn.Conv2d(channels, out_channels, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(out_channels),
    ]


def block(channels, out_channels, stride, widening):
    wide = channels * widening
    return [
        *conv_norm(channels, wide, 1),
        nn.ReLU6(),
        *conv_norm(wide, wide, 3, stride, groups=wide),
        nn.ReLU6(),
        *conv_norm(wide, out_channels, 1),
    ]


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        layers, channels = [*conv_norm(3, 32, 3, 2), nn.ReLU()], 32
        for out_channels, stride, widening in BLOCKS:
            layers += block(channels, out_channels, stride, widening)
            channels = out_channels
        layers += [*conv_norm(channels, 1280, 1), nn.ReLU()]
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(1280, classes)

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
