"""GoogLeNet: three convolutions with relu, nine inception modules without, mean over the image.
A module's four 1x1 convolutions are one product; its branches can write into the concatenation.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10
SIDE = 224
CLASSES = 1000

SMALL = {"BATCH": 2, "SIDE": 128}


class Inception(nn.Module):
    def __init__(self, channels, out1, reduce3, out3, reduce5, out5, pool):
        super().__init__()
        self.branch1 = nn.Conv2d(channels, out1, 1)
        self.branch3 = nn.Sequential(
            nn.Conv2d(channels, reduce3, 1), nn.Conv2d(reduce3, out3, 3, padding=1)
        )
        self.branch5 = nn.Sequential(
            nn.Conv2d(channels, reduce5, 1), nn.Conv2d(reduce5, out5, 5, padding=2)
        )
        self.branch_pool = nn.Sequential(
            nn.MaxPool2d(3, stride=1, padding=1), nn.Conv2d(channels, pool, 1)
        )

    def forward(self, x):
        branches = [self.branch1(x), self.branch3(x), self.branch5(x), self.branch_pool(x)]
        return torch.cat(branches, dim=1)


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3)
        self.conv2 = nn.Conv2d(64, 64, 1)
        self.conv3 = nn.Conv2d(64, 192, 3, padding=1)
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)
        self.stage3 = nn.Sequential(
            Inception(192, 64, 96, 128, 16, 32, 32),
            Inception(256, 128, 128, 192, 32, 96, 64),
        )
        self.stage4 = nn.Sequential(
            Inception(480, 192, 96, 208, 16, 48, 64),
            Inception(512, 160, 112, 224, 24, 64, 64),
            Inception(512, 128, 128, 256, 24, 64, 64),
            Inception(512, 112, 144, 288, 32, 64, 64),
            Inception(528, 256, 160, 320, 32, 128, 128),
        )
        self.stage5 = nn.Sequential(
            Inception(832, 256, 160, 320, 32, 128, 128),
            Inception(832, 384, 192, 384, 48, 128, 128),
        )
        self.dropout = nn.Dropout(0.0)
        self.classifier = nn.Linear(1024, classes)
        mend_parameters(self)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = F.relu(self.conv2(x))
        x = self.pool(F.relu(self.conv3(x)))
        x = self.pool(self.stage3(x))
        x = self.pool(self.stage4(x))
        x = F.adaptive_avg_pool2d(self.stage5(x), 1)
        return self.classifier(self.dropout(torch.flatten(x, 1)))


def mend_parameters(model):
    # PyTorch's own start shrinks the signal layer by layer, so that the output is mostly biases and
    # the same for every image. Weights of variance 1 / fan-in keep its size: few relus follow.
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(module.weight, nonlinearity="linear")


def get_inputs():
    # Signed, as normalised images are.
    return [torch.randn(BATCH, 3, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, 3, SIDE, SIDE)]


def get_init_inputs():
    return [CLASSES]
