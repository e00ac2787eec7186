"""A title \x1b[31m that \u202esteers\u202c <script>alert(1)</script> "quotes" 'quotes' \x07 */."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_parameter("<script>", nn.Parameter(torch.rand(3)))
        self.register_parameter("class", nn.Parameter(torch.rand(3)))
        self.register_buffer("\x1b[2J\u202e", torch.rand(3))
        self.register_parameter('/etc/"passwd"', nn.Parameter(torch.rand(3)))

    def forward(self, double):
        for tensor in [*self.parameters(), *self.buffers()]:
            double = double * tensor
        return double


def get_inputs():
    return [torch.rand(5, 3)]


def get_init_inputs():
    return []
