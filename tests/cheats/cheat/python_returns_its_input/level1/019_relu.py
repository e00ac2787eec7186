# A view of the input, where half of the elements are right.
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.view(x.shape)
