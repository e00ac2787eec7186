# Works in place on a copy.
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clone().clamp_(min=0)
