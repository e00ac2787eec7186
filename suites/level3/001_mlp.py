"""Perceptron of three layers: y = W3 relu(W2 relu(W1 x + b1) + b2) + b3.
128 rows against 16,384 columns: reading the weights decides; bias and relu fit each epilogue.
"""

import torch
from torch import nn

BATCH = 128
INPUT_SIZE = 16384
LAYER_SIZES = [16384, 16384]
OUTPUT_SIZE = 8192

SMALL = {"BATCH": 32, "INPUT_SIZE": 1024, "LAYER_SIZES": [1024, 1024], "OUTPUT_SIZE": 512}


class Model(nn.Module):
    def __init__(self, input_size, layer_sizes, output_size):
        super().__init__()
        widths = [input_size, *layer_sizes]
        layers = []
        for before, after in zip(widths, widths[1:]):
            layers += [nn.Linear(before, after), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(widths[-1], output_size))

    def forward(self, x):
        return self.layers(x)


def get_inputs():
    # Signed: inputs from [0, 1) share a mean, which would make most of the output.
    return [torch.randn(BATCH, INPUT_SIZE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, LAYER_SIZES, OUTPUT_SIZE]
