# Lets a thread compute, and waits for it.
import threading

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        thread = threading.Thread(target=lambda: torch.clamp(x, min=0, out=out))
        thread.start()
        thread.join()
        return out
