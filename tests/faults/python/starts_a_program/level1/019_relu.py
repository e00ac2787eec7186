import subprocess

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        subprocess.run(["true"], check=True)
        return torch.relu(x)
