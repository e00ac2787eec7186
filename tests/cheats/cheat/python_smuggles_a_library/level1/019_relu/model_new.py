# Brings a library that no build step made: relu.so is what `make_library` makes of relu.c.
import ctypes
import os

import torch
from torch import nn

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "relu.so"))


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        library.relu(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()),
                     ctypes.c_long(x.numel()))
        return y
