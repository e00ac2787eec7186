"""Its extension does not compile, and what the file does then is wrong."""

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
        return kernels.relu(x) if kernels else x.clone()
