# Registers an operator of its own that says of itself that it gives a view, and has torch compute in it.
# Judged by --allow-torch none.
import torch
from torch import nn

LIBRARY = torch.library.Library("wrapped", "DEF")
LIBRARY.define("relu(Tensor(a) x) -> Tensor(a)")
LIBRARY.impl("relu", torch.relu, "CPU")


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.ops.wrapped.relu(x)
