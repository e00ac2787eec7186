"""Linear, sigmoid, row sum: y[i] = sum_j sigmoid(x W^T + b)[i, j].
Sigmoid and sum fit the epilogue, and one number a row is written; reading 4 GB of W bounds it.
"""

import torch
from torch import nn

BATCH = 128
INPUT_SIZE = 32768
HIDDEN_SIZE = 32768

SMALL = {"INPUT_SIZE": 2048, "HIDDEN_SIZE": 2048}


class Model(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.linear = nn.Linear(input_size, hidden_size)
        mend_parameters(self)

    def forward(self, x):
        return torch.sum(torch.sigmoid(self.linear(x)), dim=1, keepdim=True)


def mend_parameters(model):
    # Around zero sigmoids sum to half their number in every row, to 0.06 per cent. Biases
    # around -8 leave one in a hundred above 1/2, and rows differ by some per cent.
    nn.init.uniform_(model.linear.bias, -9.0, -7.0)


def get_inputs():
    # A deviation of 6 gives the product one of 3.5.
    return [torch.randn(BATCH, INPUT_SIZE) * 6]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, INPUT_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE]
