"""Two linear layers, sigmoid between, log-sum-exp: y = lse_j(V sigmoid(W x + b) + c)_j.
Sigmoid fits the first product's epilogue, a running log-sum-exp the second's: 64 KiB are written.
"""

import math

import torch
from torch import nn

BATCH = 16384
INPUT_SIZE = 2048
HIDDEN_SIZE = 4096
OUTPUT_SIZE = 1024

SMALL = {"BATCH": 256, "INPUT_SIZE": 512, "HIDDEN_SIZE": 1024, "OUTPUT_SIZE": 256}


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.linear1 = nn.Linear(input_size, hidden_size)
        self.linear2 = nn.Linear(hidden_size, output_size)
        mend_parameters(self)

    def forward(self, x):
        y = torch.sigmoid(self.linear1(x))
        return torch.logsumexp(self.linear2(y), dim=1)


def mend_parameters(model):
    # As the module initialises it, the second layer's outputs are within 0.3 of zero, and all
    # rows give log 1024 to one part in 10^4. Sixteen times the weight lets single outputs win.
    bound = 16.0 / math.sqrt(model.linear2.in_features)
    nn.init.uniform_(model.linear2.weight, -bound, bound)


def get_inputs():
    # A deviation of 4 takes the sigmoid well into its curved part.
    return [torch.randn(BATCH, INPUT_SIZE) * 4]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, OUTPUT_SIZE]
