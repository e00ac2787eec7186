# Works on the legacy default stream, which waits for the timed one and the other way round.
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        with torch.cuda.stream(torch.cuda.default_stream()):
            return torch.matmul(a, b)
