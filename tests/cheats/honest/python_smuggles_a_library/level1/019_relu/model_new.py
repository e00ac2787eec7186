# Has its sources compiled by the build step.
import os

import torch
from torch import nn
from torch.utils.cpp_extension import load

HERE = os.path.dirname(os.path.abspath(__file__))
kernels = load(name="relu", sources=[os.path.join(HERE, "relu.cc")], extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        kernels.relu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
