"""LSTM of six layers, c_t = f_t c_(t-1) + i_t g_t, h_t = o_t tanh(c_t); the last c of each.
Input products batch over all steps, layers overlap as a wavefront, weights can stay on chip.
"""

import torch
from torch import nn

BATCH = 10
STEPS = 512
INPUT_SIZE = 128
HIDDEN_SIZE = 256
LAYERS = 6
OUTPUT_SIZE = 10
DROPOUT = 0.0

SMALL = {"STEPS": 16}


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, layers, output_size, dropout):
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, layers, batch_first=True, dropout=dropout)
        # KernelBench's module also has a linear layer of `output_size`, whose result it drops: a
        # compiler leaves it out, and so does the task.
        mend_parameters(self)

    def forward(self, x, h0, c0):
        _, (_, cell) = self.lstm(x, (h0, c0))
        return cell


def mend_parameters(model):
    # With nn.LSTM's own start each layer shrinks the signal; after six only the biases are left,
    # whatever the input. Input weights four times as wide keep it; recurrent ones stay as they
    # are, so that rounding errors do not grow over the steps.
    bound = 4 / model.lstm.hidden_size**0.5
    for name, weight in model.lstm.named_parameters():
        if name.startswith("weight_ih"):
            nn.init.uniform_(weight, -bound, bound)


def get_inputs():
    x = torch.randn(BATCH, STEPS, INPUT_SIZE)
    h0 = torch.randn(LAYERS, BATCH, HIDDEN_SIZE)
    c0 = torch.randn(LAYERS, BATCH, HIDDEN_SIZE)
    return [x, h0, c0]


def get_kernelbench_inputs():
    x = torch.rand(BATCH, STEPS, INPUT_SIZE)
    h0 = torch.rand(LAYERS, BATCH, HIDDEN_SIZE)
    c0 = torch.rand(LAYERS, BATCH, HIDDEN_SIZE)
    return [x, h0, c0]


def get_init_inputs():
    return [INPUT_SIZE, HIDDEN_SIZE, LAYERS, OUTPUT_SIZE, DROPOUT]
