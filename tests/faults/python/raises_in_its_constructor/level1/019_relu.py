import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
