"""Vision transformer: linear patches, class token, six encoder layers norm(x + f(x)), two linear.
Two images of 197 tokens: launches decide; attention, sums and norms of a layer fit few kernels.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 2
IMAGE_SIZE = 224
PATCH_SIZE = 16
CLASSES = 10
WIDTH = 512
DEPTH = 6
HEADS = 8
MLP_WIDTH = 2048
CHANNELS = 3
DROPOUT = 0.0
EMBEDDING_DROPOUT = 0.0

SMALL = {"IMAGE_SIZE": 112, "WIDTH": 256, "MLP_WIDTH": 1024}


class Model(nn.Module):
    def __init__(
        self,
        image_size,
        patch_size,
        classes,
        width,
        depth,
        heads,
        mlp_width,
        channels,
        dropout,
        embedding_dropout,
    ):
        super().__init__()
        self.patch_size = patch_size
        patches = (image_size // patch_size) ** 2
        self.embedding = nn.Linear(channels * patch_size**2, width)
        self.positions = nn.Parameter(torch.randn(1, patches + 1, width))
        self.class_token = nn.Parameter(torch.randn(1, 1, width))
        self.dropout = nn.Dropout(embedding_dropout)
        # Attention within an image. KernelBench leaves batch_first off, so that tokens meet only
        # the tokens of other images at their place, and the class token never sees an image.
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(width, heads, mlp_width, dropout, batch_first=True),
            depth,
            enable_nested_tensor=False,
        )
        self.hidden = nn.Linear(width, mlp_width)
        self.head_dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(mlp_width, classes)

    def forward(self, x):
        batch, channels = x.shape[:2]
        size = self.patch_size
        x = x.unfold(2, size, size).unfold(3, size, size)
        x = x.reshape(batch, -1, channels * size * size)
        x = torch.cat([self.class_token.expand(batch, -1, -1), self.embedding(x)], dim=1)
        x += self.positions
        x = self.encoder(self.dropout(x))[:, 0]
        return self.classifier(self.head_dropout(F.gelu(self.hidden(x))))


def get_inputs():
    # Wide: beside the tokens' places, which have deviation 1, the image must still count when
    # attention has averaged it over all patches.
    return [torch.randn(BATCH, CHANNELS, IMAGE_SIZE, IMAGE_SIZE) * 8]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, CHANNELS, IMAGE_SIZE, IMAGE_SIZE)]


def get_init_inputs():
    return [
        IMAGE_SIZE,
        PATCH_SIZE,
        CLASSES,
        WIDTH,
        DEPTH,
        HEADS,
        MLP_WIDTH,
        CHANNELS,
        DROPOUT,
        EMBEDDING_DROPOUT,
    ]
