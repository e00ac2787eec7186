# A graph over buffers of its own, into which each call copies its inputs.
import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.graph = None

    def forward(self, a, b):
        if self.graph is None:
            self.a, self.b = a.clone(), b.clone()
            torch.matmul(self.a, self.b)  # makes cuBLAS ready
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.out = torch.matmul(self.a, self.b)
        self.a.copy_(a)
        self.b.copy_(b)
        self.graph.replay()
        return self.out
