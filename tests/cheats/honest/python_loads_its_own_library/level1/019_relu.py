# Maps the library where it is installed.
import ctypes

import torch
from torch import nn

LIBRARY = ctypes.CDLL("libm.so.6")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
