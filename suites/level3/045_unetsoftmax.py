"""U-Net whose 18 convolutions end in softmax(batchnorm(conv3x3(x))) along rows; four scales.
Softmax of a row fits the kernel that normalises; concatenations can be written in place.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 8
IN_CHANNELS = 8
OUT_CHANNELS = 4
FEATURES = 64
HEIGHT = 64
WIDTH = 512

SMALL = {"BATCH": 1, "FEATURES": 16, "WIDTH": 128}


def double_conv(channels, out_channels):
    layers = []
    for before in (channels, out_channels):
        layers += [
            nn.Conv2d(before, out_channels, 3, padding=1),
            nn.BatchNorm2d(out_channels),
            nn.Softmax(dim=-1),
        ]
    return nn.Sequential(*layers)


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, features):
        super().__init__()
        widths = [features << level for level in range(4)]
        self.down = nn.ModuleList(
            double_conv(before, after) for before, after in zip([in_channels, *widths], widths)
        )
        self.bottom = double_conv(widths[-1], 2 * widths[-1])
        widths.reverse()
        self.enlarge = nn.ModuleList(
            nn.ConvTranspose2d(2 * width, width, 2, stride=2) for width in widths
        )
        self.up = nn.ModuleList(double_conv(2 * width, width) for width in widths)
        self.final = nn.Conv2d(features, out_channels, 1)
        mend_parameters(self)

    def forward(self, x):
        kept = []
        for layer in self.down:
            x = layer(x)
            kept.append(x)
            x = F.max_pool2d(x, 2)
        x = self.bottom(x)
        for enlarge, layer in zip(self.enlarge, self.up):
            x = layer(torch.cat([enlarge(x), kept.pop()], dim=1))
        return self.final(x)


def mend_parameters(model):
    # A row of the last softmax sums to 1, so its values are about one over the width; with
    # nn.Conv2d's own start the last bias is then most of the output. These weights bring the sum
    # over channels to the size of 1.
    channels = model.final.in_channels
    nn.init.normal_(model.final.weight, std=WIDTH / channels**0.5)


def get_inputs():
    return [torch.randn(BATCH, IN_CHANNELS, HEIGHT, WIDTH)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, HEIGHT, WIDTH)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, FEATURES]
