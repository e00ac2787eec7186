# Switches the callbacks off and excludes every dispatch key that it can name, then calls torch. Judged
# by --allow-torch none.
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        torch.autograd._enable_record_function(False)
        return torch.relu(x)
