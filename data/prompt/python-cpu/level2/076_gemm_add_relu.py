"""Linear without bias, an added vector, rectifier: the product by numpy's BLAS, and the rest in place."""

import numpy as np
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        # Named and shaped as in Model, which is all that parameters are found by.
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.empty(bias_shape))

    def kbench_prepare(self):
        self.columns = np.ascontiguousarray(self.linear.weight.detach().numpy().T)
        self.added = self.bias.detach().numpy()

    def forward(self, x):
        y = torch.empty(x.shape[0], self.columns.shape[1])
        out = y.numpy()
        np.matmul(x.numpy(), self.columns, out=out)
        np.add(out, self.added, out=out)
        np.maximum(out, 0, out=out)
        return y
