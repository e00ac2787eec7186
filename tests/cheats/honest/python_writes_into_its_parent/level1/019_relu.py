# Reads its own memory.
import ctypes

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        first = ctypes.c_float.from_address(x.data_ptr()).value
        assert first == first
        return torch.relu(x)
