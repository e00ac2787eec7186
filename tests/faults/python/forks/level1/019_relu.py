import os

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        os.fork()
        return torch.relu(x)
