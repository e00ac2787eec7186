"""torch.compile where it compiles nothing: disabled, or with a backend that runs what it is given."""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.function = torch.compile(torch.relu, disable=True)
        self.other = torch.compile(torch.relu, backend="eager")

    def forward(self, x):
        return self.function(self.other(x))
