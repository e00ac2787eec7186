# Double precision, cast back, in parts: the whole of it would not fit.
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        for part, place in zip(x.chunk(64), y.chunk(64)):
            place.copy_(torch.relu(part.double()))
        return y
