# Gives a right to memory of its own away and takes it back.
import ctypes
import mmap

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        own = mmap.mmap(-1, 4096)
        address = ctypes.addressof(ctypes.c_char.from_buffer(own))
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(address), 4096, 1) == 0
        return torch.relu(x)
