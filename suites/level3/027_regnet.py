"""Plain network: three stages of twice relu(batchnorm(conv3x3(x))) and a max pool, mean, linear.
Norm and relu, and the pool with them, fit between two convolutions; the mean joins the last pool.
"""

import torch
from torch import nn

BATCH = 8
SIDE = 224
IN_CHANNELS = 3
STAGES = 3
WIDTHS = [64, 128, 256]
CLASSES = 10

SMALL = {"BATCH": 2, "SIDE": 64}


class Model(nn.Module):
    def __init__(self, in_channels, stages, widths, classes):
        super().__init__()
        layers, channels = [], in_channels
        for width in widths[:stages]:
            for before in (channels, width):
                layers += [nn.Conv2d(before, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()]
            layers.append(nn.MaxPool2d(2))
            channels = width
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(channels, classes)

    def forward(self, x):
        return self.classifier(torch.mean(self.features(x), dim=[2, 3]))


def get_inputs():
    # Signed, as normalised images are.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, STAGES, WIDTHS, CLASSES]
