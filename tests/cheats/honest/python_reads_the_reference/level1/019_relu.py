# Reads a file of its own.
import os

import torch
from torch import nn

with open(os.path.abspath(__file__)) as own:
    SOURCE = own.read()


class ModelNew(nn.Module):
    def forward(self, x):
        assert "ModelNew" in SOURCE
        return torch.relu(x)
