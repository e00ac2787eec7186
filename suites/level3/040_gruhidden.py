"""GRU of six layers, h_t = (1 - z_t) n_t + z_t h_(t-1): the last h of each layer.
Of the top layer only the last step is wanted; layers overlap as a wavefront.
"""

import torch
from torch import nn

STEPS = 512
BATCH = 10
INPUT_SIZE = 128
HIDDEN_SIZE = 256
LAYERS = 6

SMALL = {"STEPS": 16}


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, layers):
        super().__init__()
        self.gru = nn.GRU(input_size, hidden_size, layers)

    def forward(self, x, h0):
        _, hidden = self.gru(x, h0)
        return hidden


def get_inputs():
    x = torch.randn(STEPS, BATCH, INPUT_SIZE)
    h0 = torch.randn(LAYERS, BATCH, HIDDEN_SIZE)
    return [x, h0]


def get_kernelbench_inputs():
    x = torch.rand(STEPS, BATCH, INPUT_SIZE)
    h0 = torch.rand(LAYERS, BATCH, HIDDEN_SIZE)
    return [x, h0]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, LAYERS]
