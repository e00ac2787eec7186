# Packs its weights once, from the parameters that it is given.
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.zeros(bias_shape))

    def kbench_prepare(self):
        self.packed = self.linear.weight.t().contiguous()

    def forward(self, x):
        return torch.addmm(self.bias, x, self.packed).relu_()
