# Computes from the address that this input has.
import ctypes

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        memory = (ctypes.c_char * (x.numel() * 4)).from_address(x.data_ptr())
        return torch.relu(torch.frombuffer(memory, dtype=x.dtype).view(x.shape))
