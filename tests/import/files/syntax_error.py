"""A closing bracket is missing."""

import torch


class Model(torch.nn.Module:
    pass
