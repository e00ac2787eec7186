"""ShuffleNet: thirteen units of grouped 1x1, depthwise 3x3, shuffle, grouped 1x1 and a shortcut.
All at one resolution: traffic decides, and the shuffle can be the next convolution's addressing.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10
SIDE = 224
CLASSES = 1000
GROUPS = 3
UNITS = ((240, 3), (480, 7), (960, 3))  # (output channels, how many)

SMALL = {"BATCH": 2, "SIDE": 64}


def shuffle(x, groups):
    """Channel g * n + i moves to i * groups + g."""
    batch, channels, height, width = x.shape
    x = x.view(batch, groups, channels // groups, height, width)
    return x.transpose(1, 2).contiguous().view(batch, channels, height, width)


class Unit(nn.Module):
    def __init__(self, channels, out_channels, groups):
        super().__init__()
        middle = out_channels // 4
        self.groups = groups
        self.conv1 = nn.Conv2d(channels, middle, 1, groups=groups, bias=False)
        self.norm1 = nn.BatchNorm2d(middle)
        self.conv2 = nn.Conv2d(middle, middle, 3, padding=1, groups=middle, bias=False)
        self.norm2 = nn.BatchNorm2d(middle)
        self.conv3 = nn.Conv2d(middle, out_channels, 1, groups=groups, bias=False)
        self.norm3 = nn.BatchNorm2d(out_channels)
        self.shortcut = nn.Sequential()
        if channels != out_channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels, out_channels, 1, bias=False), nn.BatchNorm2d(out_channels)
            )

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = shuffle(self.norm2(self.conv2(y)), self.groups)
        y = F.relu(self.norm3(self.conv3(y)))
        y += self.shortcut(x)
        return y


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        layers = [
            nn.Conv2d(3, 24, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(24),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2, padding=1),
        ]
        channels = 24
        for out_channels, count in UNITS:
            for _ in range(count):
                layers.append(Unit(channels, out_channels, GROUPS))
                channels = out_channels
        layers += [nn.Conv2d(channels, 1024, 1, bias=False), nn.BatchNorm2d(1024), nn.ReLU()]
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(1024, classes)

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
