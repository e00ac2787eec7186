import torch
from torch import nn

with open("/tmp/kbench-fault-writes-here", "w", encoding="ascii") as file:
    file.write("x")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x)
