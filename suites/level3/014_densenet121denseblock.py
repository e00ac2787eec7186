"""Dense block: six times x = concat(x, conv3x3(relu(batchnorm(x)))).
The result has room for all parts: no concatenation need copy, and old channels keep their moments.
"""

import torch
from torch import nn

BATCH = 10
SIDE = 224
LAYERS = 6
IN_CHANNELS = 32
GROWTH = 32

SMALL = {"BATCH": 2, "SIDE": 56}


class Model(nn.Module):
    def __init__(self, layers, in_channels, growth):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.BatchNorm2d(in_channels + index * growth),
                nn.ReLU(),
                nn.Conv2d(in_channels + index * growth, growth, 3, padding=1, bias=False),
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


def get_inputs():
    return [torch.randn(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return [LAYERS, IN_CHANNELS, GROWTH]
