# Knows its mappings as well, and leaves them alone.
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        assert any("kbench-mailbox" in line for line in open("/proc/self/maps"))
        return torch.relu(x)
