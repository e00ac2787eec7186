"""State-space layer by blocks: the last state, each block's sum_l decay_l B_l X_l decayed onwards.
Blocks reduce to 64 x 16 numbers a head on chip; decays come from running sums of A on the fly.
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

SMALL = {"BATCH": 2, "HEAD_SIZE": 32}
LINT_ACCEPTS = {
    "operator": "of the decays between blocks only the last row is used, which no triangle cuts"
}


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
        # KernelBench's module also has C and computes the outputs within blocks, which it drops: a
        # compiler leaves them out, and so does the task.
        mend_parameters(self)

    def blocks(self, tensor):
        batch, steps = tensor.shape[:2]
        return tensor.view(batch, steps // self.block, self.block, *tensor.shape[2:])

    def forward(self, x):
        X, A, B = (self.blocks(tensor) for tensor in (x, self.A, self.B))
        sums = torch.cumsum(A.permute(0, 3, 1, 2), dim=-1)
        decay = torch.exp(sums[:, :, :, -1:] - sums)
        states = torch.einsum("bclhn,bhcl,bclhp->bchpn", B, decay, X)
        states = torch.cat([torch.zeros_like(states[:, :1]), states], dim=1)
        between = torch.exp(segment_sums(F.pad(sums[:, :, :, -1], (1, 0))))
        return torch.einsum("bhzc,bchpn->bzhpn", between, states)[:, -1]


def mend_parameters(model):
    # A is a decay and belongs below zero. Drawn from N(0, 1), as KernelBench does, sums of A are a
    # random walk, whose exponential reaches 10^10: a few outputs then drown all others. Decays near
    # 1 let the first block reach the end.
    nn.init.uniform_(model.A, -0.05, 0.0)


def get_inputs():
    return [torch.randn(BATCH, STEPS, HEADS, HEAD_SIZE)]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, STEPS, HEADS, HEAD_SIZE)]


def get_init_inputs():
    return [BATCH, STEPS, HEADS, HEAD_SIZE, STATE_SIZE, BLOCK]
