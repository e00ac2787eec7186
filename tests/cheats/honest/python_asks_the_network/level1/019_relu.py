# Imports what it does not use.
import socket  # noqa: F401

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
