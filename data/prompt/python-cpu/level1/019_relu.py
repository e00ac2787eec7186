"""Rectifier: one pass of numpy, straight into the result."""

import numpy as np
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        np.maximum(x.numpy(), 0, out=y.numpy())
        return y
