"""State-space layer by blocks: Y = (L * C B^T) X within a block, plus C (decayed state) before it.
L is made of sums of A on the fly; with it, scores and X of a block one kernel yields Y and state.
"""

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 2048
STEPS = 128
HEADS = 8
HEAD_SIZE = 64
STATE_SIZE = 16
BLOCK = 64

SMALL = {"BATCH": 2, "HEAD_SIZE": 32, "STEPS": 256}


def segment_sums(x):
    """s[i, j] = x[j + 1] + ... + x[i] for j <= i, else minus infinity."""
    length = x.shape[-1]
    sums = torch.cumsum(x, dim=-1)
    sums = sums[..., :, None] - sums[..., None, :]
    lower = torch.tril(torch.ones(length, length, dtype=torch.bool, device=x.device))
    return sums.masked_fill(~lower, float("-inf"))


class Model(nn.Module):
    def __init__(self, batch, steps, heads, head_size, state_size, block):
        super().__init__()
        self.block = block
        self.A = nn.Parameter(torch.randn(batch, steps, heads))
        self.B = nn.Parameter(torch.randn(batch, steps, heads, state_size))
        self.C = nn.Parameter(torch.randn(batch, steps, heads, state_size))
        mend_parameters(self)

    def blocks(self, tensor):
        batch, steps = tensor.shape[:2]
        return tensor.view(batch, steps // self.block, self.block, *tensor.shape[2:])

    def forward(self, x):
        X, A, B, C = (self.blocks(tensor) for tensor in (x, self.A, self.B, self.C))
        A = A.permute(0, 3, 1, 2)
        sums = torch.cumsum(A, dim=-1)
        L = torch.exp(segment_sums(A))
        inside = torch.einsum("bclhn,bcshn,bhcls,bcshp->bclhp", C, B, L, X)
        decay = torch.exp(sums[:, :, :, -1:] - sums)
        states = torch.einsum("bclhn,bhcl,bclhp->bchpn", B, decay, X)
        states = torch.cat([torch.zeros_like(states[:, :1]), states], dim=1)
        between = torch.exp(segment_sums(F.pad(sums[:, :, :, -1], (1, 0))))
        states = torch.einsum("bhzc,bchpn->bzhpn", between, states)[:, :-1]
        outside = torch.einsum("bclhn,bchpn,bhcl->bclhp", C, states, torch.exp(sums))
        return (inside + outside).reshape(x.shape)


def mend_parameters(model):
    # A is a decay and belongs below zero. Drawn from N(0, 1), as KernelBench does, sums of A are a
    # random walk, whose exponential reaches 10^10: a few outputs then drown all others.
    nn.init.uniform_(model.A, -0.2, 0.0)


def get_inputs():
    return [torch.randn(BATCH, STEPS, HEADS, HEAD_SIZE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, STEPS, HEADS, HEAD_SIZE)]


def get_init_inputs():
    return [BATCH, STEPS, HEADS, HEAD_SIZE, STATE_SIZE, BLOCK]
