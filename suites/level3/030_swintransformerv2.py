"""Swin transformer V2: twelve blocks x + norm(cosine_attention(x)), x + norm(mlp(x)) in windows.
The bias of positions depends on no input, and 49 x 49 scores of a head need not leave the chip.
"""

import math

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
LARGEST_SCALE = 100.0

SMALL = {"BATCH": 1, "WIDTH": 48}


def windows(x):
    """(batch, height, width, channels) to (batch * windows, places, channels)."""
    batch, height, width, channels = x.shape
    x = x.view(batch, height // WINDOW, WINDOW, width // WINDOW, WINDOW, channels)
    return x.transpose(2, 3).reshape(-1, WINDOW * WINDOW, channels)


def image(x, batch, side):
    """The way back."""
    count, channels = side // WINDOW, x.shape[-1]
    x = x.view(batch, count, count, WINDOW, WINDOW, channels)
    return x.transpose(2, 3).reshape(batch, side, side, channels)


def offsets():
    """For places i and j of a window, how far apart they are: two tables of 49 x 49."""
    line = torch.arange(WINDOW)
    places = torch.stack(torch.meshgrid(line, line, indexing="ij")).flatten(1)
    return places[:, :, None] - places[:, None, :]


def log_distances():
    """The table of offsets that the bias network reads, on a logarithmic scale."""
    line = torch.arange(1 - WINDOW, WINDOW, dtype=torch.float32)
    table = torch.stack(torch.meshgrid(line, line, indexing="ij"), dim=-1) * (8 / (WINDOW - 1))
    return torch.sign(table) * torch.log2(table.abs() + 1) / math.log2(8)


def shift_mask(side, shift):
    """-100 between places of a window that come from opposite ends of the image, else 0."""
    line = torch.zeros(side)
    line[side - WINDOW : side - shift] = 1
    line[side - shift :] = 2
    region = windows((3 * line[:, None] + line)[None, :, :, None]).squeeze(-1)
    return (region[:, None, :] != region[:, :, None]).float() * -100.0


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.scale = nn.Parameter(torch.log(10 * torch.ones(heads, 1, 1)))
        self.bias_network = nn.Sequential(
            nn.Linear(2, 512), nn.ReLU(), nn.Linear(512, heads, bias=False)
        )
        self.register_buffer("distances", log_distances())
        down, right = offsets() + WINDOW - 1
        self.register_buffer("index", down * (2 * WINDOW - 1) + right)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.query_bias = nn.Parameter(torch.zeros(width))
        self.value_bias = nn.Parameter(torch.zeros(width))
        self.dropout = nn.Dropout(0.0)
        self.projection = nn.Linear(width, width)
        self.projection_dropout = nn.Dropout(0.0)

    def position_bias(self):
        places = WINDOW * WINDOW
        table = self.bias_network(self.distances).view(-1, self.heads)
        bias = table[self.index.view(-1)].view(places, places, self.heads)
        return 16 * torch.sigmoid(bias.permute(2, 0, 1).contiguous())

    def forward(self, x, mask):
        count, places, width = x.shape
        no_bias = torch.zeros_like(self.value_bias)
        qkv_bias = torch.cat([self.query_bias, no_bias, self.value_bias])
        qkv = F.linear(x, self.qkv.weight, qkv_bias)
        q, k, v = qkv.view(count, places, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        scores = scores * torch.clamp(self.scale, max=math.log(LARGEST_SCALE)).exp()
        scores = scores + self.position_bias().unsqueeze(0)
        if mask is not None:
            apart = scores.view(-1, mask.shape[0], self.heads, places, places)
            scores = (apart + mask[None, :, None]).view(-1, self.heads, places, places)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        y = (weights @ v).transpose(1, 2).reshape(count, places, width)
        return self.projection_dropout(self.projection(y))


class Block(nn.Module):
    def __init__(self, width, side, heads, shift):
        super().__init__()
        self.side = side
        self.shift = shift
        self.attention = Attention(width, heads)
        self.norm1 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width),
            nn.GELU(),
            nn.Dropout(0.0),
            nn.Linear(4 * width, width),
            nn.Dropout(0.0),
        )
        self.norm2 = nn.LayerNorm(width)
        self.register_buffer("mask", shift_mask(side, shift) if shift else None)

    def forward(self, x):
        batch, places, width = x.shape
        y = x.view(batch, self.side, self.side, width)
        if self.shift:
            y = torch.roll(y, (-self.shift, -self.shift), dims=(1, 2))
        y = image(self.attention(windows(y), self.mask), batch, self.side)
        if self.shift:
            y = torch.roll(y, (self.shift, self.shift), dims=(1, 2))
        x = x + self.norm1(y.view(batch, places, width))
        return x + self.norm2(self.mlp(x))


class Merging(nn.Module):
    """Four neighbours become one place of twice the width."""

    def __init__(self, width, side):
        super().__init__()
        self.side = side
        self.reduction = nn.Linear(4 * width, 2 * width, bias=False)
        self.norm = nn.LayerNorm(2 * width)

    def forward(self, x):
        batch, _, channels = x.shape
        x = x.view(batch, self.side, self.side, channels)
        corners = [x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)]
        x = torch.cat(corners, dim=-1).view(batch, -1, 4 * channels)
        return self.norm(self.reduction(x))


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
