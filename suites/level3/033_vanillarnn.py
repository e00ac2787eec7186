"""One step of a recurrent network: h' = tanh(W [x, h] + b), y = V h' + c.
Two GiB and more of weights for 256 rows; the concatenation is two products added, tanh an epilogue.
"""

import torch
from torch import nn

BATCH = 256
INPUT_SIZE = 16384
HIDDEN_SIZE = 16384
OUTPUT_SIZE = 8192

SMALL = {"BATCH": 64, "INPUT_SIZE": 1024, "HIDDEN_SIZE": 1024, "OUTPUT_SIZE": 512}


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.step = nn.Linear(input_size + hidden_size, hidden_size)
        self.output = nn.Linear(hidden_size, output_size)

    def forward(self, x, hidden):
        # KernelBench's module keeps the new state for its next call, so that no two calls agree;
        # here the state is an input.
        hidden = torch.tanh(self.step(torch.cat([x, hidden], dim=1)))
        return self.output(hidden)


def get_inputs():
    # A deviation of 2 takes tanh well into its curved part; near zero it is the identity.
    return [torch.randn(BATCH, INPUT_SIZE) * 2, torch.randn(BATCH, HIDDEN_SIZE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, INPUT_SIZE), torch.rand(BATCH, HIDDEN_SIZE)]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, OUTPUT_SIZE]
