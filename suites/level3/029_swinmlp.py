"""Swin-MLP: twelve blocks x + mix_in_windows(norm(x)), x + mlp(norm(x)), patches merged in between.
Windows are only addressing; the mixing is one 49 x 49 product a head, and norms fit its load.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 10
SIDE = 224
CHANNELS = 3
CLASSES = 1000
WIDTH = 96
DEPTHS = (2, 2, 6, 2)
HEADS = (3, 6, 12, 24)
PATCH = 4
WINDOW = 7

SMALL = {"BATCH": 1, "WIDTH": 48}


class Block(nn.Module):
    def __init__(self, width, side, heads, shift):
        super().__init__()
        self.side = side
        self.heads = heads
        self.shift = shift
        self.norm1 = nn.LayerNorm(width)
        places = heads * WINDOW * WINDOW
        self.mixing = nn.Conv1d(places, places, 1, groups=heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width),
            nn.GELU(),
            nn.Dropout(0.0),
            nn.Linear(4 * width, width),
            nn.Dropout(0.0),
        )

    def mix(self, x):
        """Every place of a window from all places of it, the channels of a head alike."""
        batch, height, width, channels = x.shape
        rows, columns, depth = height // WINDOW, width // WINDOW, channels // self.heads
        x = x.view(batch, rows, WINDOW, columns, WINDOW, self.heads, depth)
        x = x.permute(0, 1, 3, 5, 2, 4, 6).reshape(-1, self.heads * WINDOW * WINDOW, depth)
        x = self.mixing(x)
        x = x.view(batch, rows, columns, self.heads, WINDOW, WINDOW, depth)
        return x.permute(0, 1, 4, 2, 5, 3, 6).reshape(batch, height, width, channels)

    def forward(self, x):
        batch, places, channels = x.shape
        y = self.norm1(x).view(batch, self.side, self.side, channels)
        if self.shift:
            # Windows shifted up and left: padding, which the result loses again.
            before, after = WINDOW - self.shift, self.shift
            y = self.mix(F.pad(y, (0, 0, before, after, before, after)))
            y = y[:, before:-after, before:-after].contiguous()
        else:
            y = self.mix(y)
        x = x + y.view(batch, places, channels)
        return x + self.mlp(self.norm2(x))


class Merging(nn.Module):
    """Four neighbours become one place of twice the width."""

    def __init__(self, width, side):
        super().__init__()
        self.side = side
        self.norm = nn.LayerNorm(4 * width)
        self.reduction = nn.Linear(4 * width, 2 * width, bias=False)

    def forward(self, x):
        batch, _, channels = x.shape
        x = x.view(batch, self.side, self.side, channels)
        corners = [x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)]
        x = torch.cat(corners, dim=-1).view(batch, -1, 4 * channels)
        return self.reduction(self.norm(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Conv2d(CHANNELS, WIDTH, PATCH, stride=PATCH)
        self.embedding_norm = nn.LayerNorm(WIDTH)
        self.dropout = nn.Dropout(0.0)
        layers, width, side = [], WIDTH, SIDE // PATCH
        for stage, (depth, heads) in enumerate(zip(DEPTHS, HEADS)):
            for index in range(depth):
                shifted = index % 2 == 1 and side > WINDOW
                layers.append(Block(width, side, heads, WINDOW // 2 if shifted else 0))
            if stage + 1 < len(DEPTHS):
                layers.append(Merging(width, side))
                width, side = 2 * width, side // 2
        self.layers = nn.Sequential(*layers)
        self.norm = nn.LayerNorm(width)
        self.classifier = nn.Linear(width, CLASSES)

    def forward(self, x):
        x = self.embedding(x).flatten(2).transpose(1, 2)
        x = self.layers(self.dropout(self.embedding_norm(x)))
        x = F.adaptive_avg_pool1d(self.norm(x).transpose(1, 2), 1)
        return self.classifier(torch.flatten(x, 1))


def get_inputs():
    # Signed, as normalised images are.
    return [torch.randn(BATCH, CHANNELS, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, CHANNELS, SIDE, SIDE)]


def get_init_inputs():
    return []
