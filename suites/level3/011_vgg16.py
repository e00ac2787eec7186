"""VGG-16: thirteen 3x3 convolutions with relu, five max pools, three linear layers.
Relu and pool fit a convolution's epilogue; the linear layers are 470 MiB of weights for ten rows.
"""

import torch
from torch import nn

BATCH = 10
SIDE = 224
CLASSES = 1000
CONVOLUTIONS = (2, 2, 3, 3, 3)  # before each pool
WIDTH = 64
HIDDEN = 4096

SMALL = {"BATCH": 2, "SIDE": 112, "WIDTH": 32, "HIDDEN": 512}


class Model(nn.Module):
    def __init__(self, classes, width=WIDTH, hidden=HIDDEN):
        super().__init__()
        layers, channels = [], 3
        for stage, count in enumerate(CONVOLUTIONS):
            out_channels = min(width << stage, 8 * width)
            for _ in range(count):
                layers += [nn.Conv2d(channels, out_channels, 3, padding=1), nn.ReLU()]
                channels = out_channels
            layers.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Linear(channels * (SIDE // 32) ** 2, hidden),
            nn.ReLU(),
            nn.Dropout(0.0),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Dropout(0.0),
            nn.Linear(hidden, classes),
        )
        mend_parameters(self)

    def forward(self, x):
        return self.classifier(torch.flatten(self.features(x), 1))


def mend_parameters(model):
    # PyTorch's own start shrinks the signal to 0.4 a layer; after sixteen layers only the last
    # biases are left, whatever the image. Weights of variance 2 / fan-in keep its size.
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")


def get_inputs():
    # Signed, as normalised images are.
    return [torch.randn(BATCH, 3, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, 3, SIDE, SIDE)]


def get_init_inputs():
    return [CLASSES]
