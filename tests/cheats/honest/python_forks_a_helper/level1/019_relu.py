# Asks who it is and starts nobody.
import os

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        assert os.getpid() > 0
        return torch.relu(x)
