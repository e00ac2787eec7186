"""AlexNet: five convolutions with relu, three overlapping max pools, three linear layers.
Relu and the pool after it fit a convolution's epilogue; the first output is a GiB.
"""

import torch
from torch import nn

BATCH = 1024
SIDE = 224
CLASSES = 1000
HIDDEN = 4096

SMALL = {"BATCH": 4, "HIDDEN": 1024}


class Model(nn.Module):
    def __init__(self, classes, hidden=HIDDEN):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 96, 11, stride=4, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2),
            nn.Conv2d(96, 256, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2),
            nn.Conv2d(256, 384, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(384, 384, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(384, 256, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2),
        )
        self.classifier = nn.Sequential(
            nn.Linear(256 * 6 * 6, hidden),
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
    # PyTorch's own start shrinks the signal to 0.4 a layer, so that the output is mostly biases and
    # the same for every image. Weights of variance 2 / fan-in keep its size.
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
