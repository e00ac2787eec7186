"""It imports what belongs to its Python and its torch, for nothing, and guards what may not be there."""

import ctypes  # noqa: F401
import decimal  # noqa: F401
import lzma  # noqa: F401
import sqlite3  # noqa: F401

import numpy.fft  # noqa: F401
import numpy.linalg  # noqa: F401
import numpy.random
import torch
import torch._dynamo  # noqa: F401
import torch._inductor.compile_fx  # noqa: F401
from torch import nn

try:
    import scipy.special  # noqa: F401
except ImportError:
    pass
try:
    import markupsafe._speedups  # noqa: F401
except ImportError:
    pass

numpy.random.seed(0)


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.clamp(x, min=0)
