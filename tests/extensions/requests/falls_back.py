"""Its extension does not compile, and the file says what to do then."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

try:
    kernels = load_inline(name="broken", cpp_sources="int f() { return no_such_thing; }",
                          no_implicit_headers=True)
except Exception:
    kernels = None


class ModelNew(nn.Module):
    def forward(self, x):
        return kernels.relu(x) if kernels else torch.clamp(x, min=0)
