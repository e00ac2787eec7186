"""Deep narrow perceptron: x -> relu(W x + b) sixteen times, then one linear layer.
Sixteen products of 1,024 columns chain: a block of rows can stay on chip through all of them.
"""

import torch
from torch import nn

BATCH = 1024
INPUT_SIZE = 8192
HIDDEN_SIZE = 1024
HIDDEN_LAYERS = 16
OUTPUT_SIZE = 8192

SMALL = {"BATCH": 64, "INPUT_SIZE": 1024, "HIDDEN_SIZE": 256, "OUTPUT_SIZE": 1024}


class Model(nn.Module):
    def __init__(self, input_size, layer_sizes, output_size):
        super().__init__()
        widths = [input_size, *layer_sizes]
        layers = []
        for before, after in zip(widths, widths[1:]):
            layers += [nn.Linear(before, after), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(widths[-1], output_size))
        mend_parameters(self)

    def forward(self, x):
        return self.layers(x)


def mend_parameters(model):
    # nn.Linear's own start shrinks the signal to 0.4 a layer; after sixteen of them only the last
    # biases are left, whatever the input. Weights of variance 2 / fan-in keep its size.
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")


def get_inputs():
    # Signed: inputs from [0, 1) share a mean, which would make most of the output.
    return [torch.randn(BATCH, INPUT_SIZE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, [HIDDEN_SIZE] * HIDDEN_LAYERS, OUTPUT_SIZE]
