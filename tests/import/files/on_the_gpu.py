"""Inputs, module and constants are put on a GPU, in every way that files do it."""
import torch
from torch import nn

WEIGHTS = torch.linspace(0, 1, 16).to("cuda")


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.layer = nn.Linear(features, features)
        self.register_buffer("shift", torch.ones(features, device="cuda"))
        self.cuda()

    def forward(self, x, y, z):
        return self.layer(x) * WEIGHTS + y * self.shift.to("cuda") + z + torch.zeros(1, device=torch.device("cuda:0"))


def get_inputs():
    device = torch.device("cuda")
    return [torch.randn(8, 16).cuda(), torch.rand(8, 16, device=device),
            torch.rand(8, 16).to(device, torch.float32).pin_memory()]


def get_init_inputs():
    return [16]
