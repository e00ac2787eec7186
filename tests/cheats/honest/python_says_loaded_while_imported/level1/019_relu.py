# Leaves the descriptors that it did not open to whom they belong.
import os

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        assert os.fstat(3)
        return torch.relu(x)
