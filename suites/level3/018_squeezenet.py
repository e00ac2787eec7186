"""SqueezeNet: a convolution, eight fire modules between three max pools, a convolution, the mean.
Each fire module's two expansions share their input and write halves of one tensor, relu included.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 64
SIDE = 512
CLASSES = 1000

SMALL = {"BATCH": 2, "SIDE": 128}


class Fire(nn.Module):
    def __init__(self, channels, squeeze, expand):
        super().__init__()
        self.squeeze = nn.Conv2d(channels, squeeze, 1)
        self.expand1 = nn.Conv2d(squeeze, expand, 1)
        self.expand3 = nn.Conv2d(squeeze, expand, 3, padding=1)

    def forward(self, x):
        s = F.relu(self.squeeze(x))
        return torch.cat([F.relu(self.expand1(s)), F.relu(self.expand3(s))], dim=1)


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 96, 7, stride=2),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2, ceil_mode=True),
            Fire(96, 16, 64),
            Fire(128, 16, 64),
            Fire(128, 32, 128),
            nn.MaxPool2d(3, stride=2, ceil_mode=True),
            Fire(256, 32, 128),
            Fire(256, 48, 192),
            Fire(384, 48, 192),
            Fire(384, 64, 256),
            nn.MaxPool2d(3, stride=2, ceil_mode=True),
            Fire(512, 64, 256),
        )
        self.dropout = nn.Dropout(0.0)
        self.classifier = nn.Conv2d(512, classes, 1)
        mend_parameters(self)

    def forward(self, x):
        x = F.relu(self.classifier(self.dropout(self.features(x))))
        return torch.flatten(F.adaptive_avg_pool2d(x, 1), 1)


def mend_parameters(model):
    # PyTorch's own start shrinks the signal to 0.4 a layer; after eighteen layers only the last
    # biases are left, whatever the image. Weights of variance 2 / fan-in keep its size.
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")


def get_inputs():
    # Signed, as normalised images are.
    return [torch.randn(BATCH, 3, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, 3, SIDE, SIDE)]


def get_init_inputs():
    return [CLASSES]
