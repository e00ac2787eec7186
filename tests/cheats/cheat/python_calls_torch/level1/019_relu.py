# Calls the very operator of the task. Judged by --allow-torch none.
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
