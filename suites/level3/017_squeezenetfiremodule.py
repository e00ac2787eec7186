"""Fire module: s = relu(conv1x1(x)), y = concat(relu(conv1x1(s)), relu(conv3x3(s))).
Three channels squeeze into six: s can be recomputed where it is needed, and y is all the traffic.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 128
SIDE = 256
IN_CHANNELS = 3
SQUEEZE = 6
EXPAND_1X1 = 64
EXPAND_3X3 = 64

SMALL = {"BATCH": 4, "SIDE": 128}


class Model(nn.Module):
    def __init__(self, in_channels, squeeze, expand_1x1, expand_3x3):
        super().__init__()
        self.squeeze = nn.Conv2d(in_channels, squeeze, 1)
        self.expand1 = nn.Conv2d(squeeze, expand_1x1, 1)
        self.expand3 = nn.Conv2d(squeeze, expand_3x3, 3, padding=1)

    def forward(self, x):
        s = F.relu(self.squeeze(x))
        return torch.cat([F.relu(self.expand1(s)), F.relu(self.expand3(s))], dim=1)


def get_inputs():
    # Signed and wide: near zero the biases alone decide what relu lets pass.
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, SQUEEZE, EXPAND_1X1, EXPAND_3X3]
