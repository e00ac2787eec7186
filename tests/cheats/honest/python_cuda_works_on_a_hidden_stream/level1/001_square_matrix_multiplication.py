# Works on a stream of its own, which waits for the given one and is waited for.
import torch
from torch import nn

SIDE = torch.cuda.Stream()


class ModelNew(nn.Module):
    def forward(self, a, b):
        current = torch.cuda.current_stream()
        SIDE.wait_stream(current)
        with torch.cuda.stream(SIDE):
            out = torch.matmul(a, b)
        current.wait_stream(SIDE)
        out.record_stream(current)
        return out
