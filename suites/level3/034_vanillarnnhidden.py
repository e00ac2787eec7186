"""Recurrent network over 256 steps: h_t = tanh(W [x_t, h_(t-1)] + b), y_t = V h_t + c.
Products with x_t batch over all steps, and so do those for y; only 256 columns of W are serial.
"""

import torch
from torch import nn

STEPS = 256
BATCH = 8
INPUT_SIZE = 1024
HIDDEN_SIZE = 256
OUTPUT_SIZE = 128

SMALL = {"STEPS": 16}


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.step = nn.Linear(input_size + hidden_size, hidden_size)
        self.output = nn.Linear(hidden_size, output_size)

    def forward(self, x, hidden):
        outputs = []
        for index in range(x.shape[0]):
            hidden = torch.tanh(self.step(torch.cat([x[index], hidden], dim=1)))
            outputs.append(self.output(hidden))
        return torch.stack(outputs)


def get_inputs():
    # A deviation of 2 takes tanh well into its curved part; near zero it is the identity.
    return [torch.randn(STEPS, BATCH, INPUT_SIZE) * 2, torch.randn(BATCH, HIDDEN_SIZE)]


def get_kernelbench_inputs():
    return [torch.rand(STEPS, BATCH, INPUT_SIZE), torch.rand(BATCH, HIDDEN_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, OUTPUT_SIZE]
