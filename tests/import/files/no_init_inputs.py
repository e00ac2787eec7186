"""There is no get_init_inputs: the module's arguments have defaults."""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, scale=0.5):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return torch.tanh(x) * self.scale


def get_inputs():
    return [torch.randn(64)]
