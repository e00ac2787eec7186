"""3D convolution, max-pool, log-sum-exp, rectifier: y = max(lse_c(maxpool(conv(x))), 0).
Pooling in the epilogue and a running log-sum-exp leave 1 MiB of 512 to be written.
"""

import torch
from torch import nn

BATCH = 4
IN_CHANNELS = 32
OUT_CHANNELS = 64
KERNEL_SIZE = 3
STRIDE = 1
PADDING = 1
DEPTH = 32
SIDE = 128

SMALL = {"BATCH": 2, "DEPTH": 8, "SIDE": 24}


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding):
        super().__init__()
        self.conv = nn.Conv3d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding
        )
        self.pool = nn.MaxPool3d(2, stride=2)
        mend_parameters(self)

    def forward(self, x):
        y = torch.logsumexp(self.pool(self.conv(x)), dim=1, keepdim=True)
        return torch.relu(y)


def mend_parameters(model):
    # Over 64 channels the log-sum-exp is above log 64, and the rectifier the identity. Biases
    # around -6 bring it to both sides of zero.
    nn.init.uniform_(model.conv.bias, -7.0, -5.0)


def get_inputs():
    # A deviation of 2 gives voxels values that differ; from [0, 1) all are within 0.01.
    return [torch.randn(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE) * 2]


def get_kernelbench_inputs():
    return [torch.rand(BATCH, IN_CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs():
    return [IN_CHANNELS, OUT_CHANNELS, KERNEL_SIZE, STRIDE, PADDING]
