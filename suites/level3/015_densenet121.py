"""DenseNet-121: 58 times x = concat(x, conv3x3(relu(batchnorm(x)))) in four blocks, transitions.
A block's result has room for all its parts: nothing need be copied, moments of old channels stay.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10
SIDE = 224
GROWTH = 32
CLASSES = 10
BLOCKS = (6, 12, 24, 16)

SMALL = {"BATCH": 4, "SIDE": 96}


class DenseBlock(nn.Module):
    def __init__(self, layers, channels, growth):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.BatchNorm2d(channels + index * growth),
                nn.ReLU(),
                nn.Conv2d(channels + index * growth, growth, 3, padding=1, bias=False),
                nn.Dropout(0.0),
            )
            for index in range(layers)
        )

    def forward(self, x):
        parts = [x]
        for layer in self.layers:
            parts.append(layer(x))
            x = torch.cat(parts, dim=1)
        return x


def transition(channels):
    return nn.Sequential(
        nn.BatchNorm2d(channels),
        nn.ReLU(),
        nn.Conv2d(channels, channels // 2, 1, bias=False),
        nn.AvgPool2d(2),
    )


class Model(nn.Module):
    def __init__(self, growth, classes):
        super().__init__()
        channels = 64
        layers = [
            nn.Conv2d(3, channels, 7, stride=2, padding=3, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2, padding=1),
        ]
        for index, count in enumerate(BLOCKS):
            layers.append(DenseBlock(count, channels, growth))
            channels += count * growth
            if index + 1 < len(BLOCKS):
                layers.append(transition(channels))
                channels //= 2
        self.features = nn.Sequential(*layers, nn.BatchNorm2d(channels), nn.ReLU())
        self.classifier = nn.Linear(channels, classes)

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), 1)
        return self.classifier(torch.flatten(x, 1))


def get_inputs():
    # Signed, as normalised images are.
    return [torch.randn(BATCH, 3, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, 3, SIDE, SIDE)]


def get_init_inputs():
    return [GROWTH, CLASSES]
