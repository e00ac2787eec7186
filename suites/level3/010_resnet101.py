"""ResNet-101: 33 bottlenecks relu(n(conv1x1(r(conv3x3(r(conv1x1(x)))))) + shortcut(x)), r = relu n.
Norms, sum and relu are half of the memory traffic, and fit the epilogues of the convolutions.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10
SIDE = 224
BLOCKS = [3, 4, 23, 3]
CLASSES = 1000
WIDTH = 64

SMALL = {"BATCH": 4, "SIDE": 96, "WIDTH": 32}


def conv_norm(channels, out_channels, kernel, stride=1):
    return nn.Sequential(
        nn.Conv2d(channels, out_channels, kernel, stride, padding=kernel // 2, bias=False),
        nn.BatchNorm2d(out_channels),
    )


class Bottleneck(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        self.reduce = conv_norm(channels, width, 1)
        self.spatial = conv_norm(width, width, 3, stride)
        self.expand = conv_norm(width, 4 * width, 1)
        self.shortcut = nn.Sequential()
        if stride != 1 or channels != 4 * width:
            self.shortcut = conv_norm(channels, 4 * width, 1, stride)

    def forward(self, x):
        y = F.relu(self.spatial(F.relu(self.reduce(x))))
        y = self.expand(y)
        y += self.shortcut(x)
        return F.relu(y)


class Model(nn.Module):
    def __init__(self, blocks, classes, width=WIDTH):
        super().__init__()
        self.stem = nn.Sequential(
            conv_norm(3, width, 7, 2), nn.ReLU(), nn.MaxPool2d(3, stride=2, padding=1)
        )
        layers, channels = [], width
        for stage, count in enumerate(blocks):
            for index in range(count):
                stride = 2 if stage > 0 and index == 0 else 1
                layers.append(Bottleneck(channels, width << stage, stride))
                channels = 4 * (width << stage)
        self.blocks = nn.Sequential(*layers)
        self.classifier = nn.Linear(channels, classes)

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1)
        return self.classifier(torch.flatten(x, 1))


def get_inputs():
    # Signed, as normalised images are.
    return [torch.randn(BATCH, 3, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, 3, SIDE, SIDE)]


def get_init_inputs():
    return [BLOCKS, CLASSES]
