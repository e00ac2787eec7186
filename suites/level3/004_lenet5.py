"""LeNet-5: pool(relu(conv5x5)) twice, then three linear layers, relu after the first two.
An image is 4 KiB: a stage fuses into one kernel, and the linear layers chain on chip.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 4096
CLASSES = 20

SMALL = {"BATCH": 512}


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def get_inputs():
    # Each layer shrinks the signal to about half, while the biases stay: on inputs from [0, 1) the
    # last bias makes most of the output, and the output of another batch passes. Large inputs
    # keep the image visible in the result.
    return [torch.randn(BATCH, 1, 32, 32) * 16]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, 1, 32, 32)]


def get_init_inputs():
    return [CLASSES]
