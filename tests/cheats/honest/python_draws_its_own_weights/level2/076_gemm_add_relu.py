# The task's weights under the task's names.
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.empty(bias_shape))

    def forward(self, x):
        return torch.nn.functional.linear(x, self.linear.weight, self.bias).relu_()
