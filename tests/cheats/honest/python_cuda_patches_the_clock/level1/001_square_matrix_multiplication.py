# Counts how often somebody waits, and lets them.
import torch
from torch import nn

WAIT = torch.cuda.synchronize
COUNT = [0]


def synchronize(device=None):
    COUNT[0] += 1
    WAIT(device)


torch.cuda.synchronize = synchronize


class ModelNew(nn.Module):
    def forward(self, a, b):
        out = torch.matmul(a, b)
        torch.cuda.synchronize()
        return out
