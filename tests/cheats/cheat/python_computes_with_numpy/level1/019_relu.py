# Has NumPy compute, which no hook in torch sees. Judged by --allow-torch none.
import numpy
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.from_numpy(numpy.maximum(x.numpy(), 0))
