"""Transformer on two tokens: the whole image as one, by convolution and linear layer, and class.
Tokens are so few that a layer's weights are all its traffic: six layers fit few persistent kernels.
"""

import torch
from torch import nn

BATCH = 10
SIDE = 32
CLASSES = 1000
WIDTH = 128
HEADS = 4
LAYERS = 6
PATCH = 4

SMALL = {}


class Model(nn.Module):
    def __init__(self, classes, width, heads):
        super().__init__()
        self.patches = nn.Conv2d(3, width, PATCH, stride=PATCH)
        self.projection = nn.Linear(width * (SIDE // PATCH) ** 2, width)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, batch_first=True)
            for _ in range(LAYERS)
        )
        self.classifier = nn.Linear(width, classes)

    def forward(self, x):
        batch = x.shape[0]
        x = self.projection(self.patches(x).flatten(start_dim=1))
        x = torch.cat([self.class_token.expand(batch, -1, -1), x.unsqueeze(1)], dim=1)
        for layer in self.layers:
            x = layer(x)
        return self.classifier(x[:, 0])


def get_inputs():
    # Wide: convolution and projection shrink the image to a third, and it has to count beside the
    # class token in what the class token sees.
    return [torch.randn(BATCH, 3, SIDE, SIDE) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, 3, SIDE, SIDE)]


def get_init_inputs():
    return [CLASSES, WIDTH, HEADS]
