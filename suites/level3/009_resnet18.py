"""ResNet-18: eight residual blocks relu(n2(conv(relu(n1(conv(x))))) + shortcut(x)), n a batch norm.
A batch of two images: launches decide; norm, sum and relu fuse into the convolutions' epilogues.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 2
SIDE = 224
CLASSES = 1000

SMALL = {"BATCH": 4, "SIDE": 96}


class Block(nn.Module):
    def __init__(self, channels, out_channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out_channels, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.shortcut = nn.Sequential()
        if stride != 1 or channels != out_channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels, out_channels, 1, stride=stride, bias=False),
                nn.BatchNorm2d(out_channels),
            )

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        y += self.shortcut(x)
        return F.relu(y)


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2, padding=1),
        )
        blocks, channels = [], 64
        for out_channels, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            blocks += [Block(channels, out_channels, stride), Block(out_channels, out_channels, 1)]
            channels = out_channels
        self.blocks = nn.Sequential(*blocks)
        self.classifier = nn.Linear(512, classes)

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1)
        return self.classifier(torch.flatten(x, 1))


def get_inputs():
    # Signed, as normalised images are.
    return [torch.randn(BATCH, 3, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, 3, SIDE, SIDE)]


def get_init_inputs():
    return [CLASSES]
