"""EfficientNet-B2 in a short form: five blocks of 1x1, depthwise 3x3, gate, 1x1, norms between.
The gate replaces the image: behind the first block all is launches over a few hundred numbers.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 2
SIDE = 224
CLASSES = 1000

# (output channels, stride, widening)
BLOCKS = ((96, 1, 3), (144, 2, 6), (192, 2, 6), (288, 2, 6), (384, 1, 6))

# Batch norms behind the first gate see one value an image: eight images, so that they see eight.
WIDENED = 4.0  # the bound of the gates' weights, in units of the default

SMALL = {"BATCH": 32, "SIDE": 32}
LINT_ACCEPTS = {
    "half": "norms over one element an image amplify float32's own rounding up to float16's",
    "operator": "the last pooling meets maps of one element, which the gates have pooled before",
}


def conv_norm(channels, out_channels, kernel, stride=1, groups=1):
    return [
        nn.Conv2d(channels, out_channels, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(out_channels),
    ]


def gate(channels):
    # Not multiplied with its input, which EfficientNet does and the task does not.
    return [
        nn.AdaptiveAvgPool2d(1),
        nn.Conv2d(channels, channels // 4, 1),
        nn.ReLU(),
        nn.Conv2d(channels // 4, channels, 1),
        nn.Sigmoid(),
    ]


def block(channels, out_channels, stride, widening):
    wide = channels * widening
    return [
        *conv_norm(channels, wide, 1),
        nn.ReLU(),
        *conv_norm(wide, wide, 3, stride, groups=wide),
        nn.ReLU(),
        *gate(wide),
        *conv_norm(wide, out_channels, 1),
    ]


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        layers, channels = [*conv_norm(3, 32, 3, 2), nn.ReLU()], 32
        for out_channels, stride, widening in BLOCKS:
            layers += block(channels, out_channels, stride, widening)
            channels = out_channels
        layers += [*conv_norm(channels, 1408, 1), nn.ReLU()]
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(1408, classes)
        mend_parameters(self)

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), 1)
        return self.classifier(torch.flatten(x, 1))


def mend_parameters(model):
    # With the default weights every gate gives about one half, and the norm behind it amplifies what
    # is left of the signal, rounding included: after five of them, float32 is wrong by 0.4 %.
    for gate_end in (m for m in model.features if isinstance(m, nn.Conv2d) and m.bias is not None):
        bound = WIDENED / gate_end.in_channels**0.5
        nn.init.uniform_(gate_end.weight, -bound, bound)


def get_inputs():
    # Signed, as normalised images are.
    return [torch.randn(BATCH, 3, SIDE, SIDE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, 3, SIDE, SIDE)]


def get_init_inputs():
    return [CLASSES]
