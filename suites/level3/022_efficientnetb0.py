"""EfficientNet-B0 without its gates: thirteen inverted bottlenecks, six of them with a shortcut.
Widened tensors need not be stored; norms, relu6 and sums fit the epilogues of the convolutions.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10
SIDE = 224
CLASSES = 1000

# (output channels, kernel, stride, widening)
BLOCKS = (
    (16, 3, 1, 1),
    (24, 3, 2, 6),
    (24, 3, 1, 6),
    (40, 5, 2, 6),
    (40, 5, 1, 6),
    (80, 3, 2, 6),
    (80, 3, 1, 6),
    (112, 5, 1, 6),
    (112, 5, 1, 6),
    (192, 5, 2, 6),
    (192, 5, 1, 6),
    (192, 5, 1, 6),
    (320, 3, 1, 6),
)

SMALL = {"BATCH": 2, "SIDE": 160}


def conv_norm(channels, out_channels, kernel, stride=1, groups=1):
    return [
        nn.Conv2d(channels, out_channels, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(out_channels),
    ]


class InvertedBottleneck(nn.Module):
    def __init__(self, channels, out_channels, kernel, stride, widening):
        super().__init__()
        wide = channels * widening
        layers = [*conv_norm(channels, wide, 1), nn.ReLU6()] if widening > 1 else []
        layers += [*conv_norm(wide, wide, kernel, stride, groups=wide), nn.ReLU6()]
        self.layers = nn.Sequential(*layers, *conv_norm(wide, out_channels, 1))
        self.has_shortcut = stride == 1 and channels == out_channels

    def forward(self, x):
        y = self.layers(x)
        if self.has_shortcut:
            y += x
        return y


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        layers, channels = [*conv_norm(3, 32, 3, 2), nn.ReLU()], 32
        for out_channels, kernel, stride, widening in BLOCKS:
            layers.append(InvertedBottleneck(channels, out_channels, kernel, stride, widening))
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
