# Computes from the address that this input has.
import torch
from torch import nn


class At:
    def __init__(self, x):
        self.__cuda_array_interface__ = {
            "shape": tuple(x.shape), "typestr": "<f4", "data": (x.data_ptr(), False), "version": 3}


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(torch.as_tensor(At(x), device="cuda"))
